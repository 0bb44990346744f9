# The real session cannot be typed into.
# Source: third review, finding 3
# Escape: a file appears outside
for input in "$PLACE"/tmp/north-shell-*/input /tmp/north-shell-*/input /run/user/*/north-shell-*/input; do
    [[ -p $input ]] && timeout 2 bash -c 'echo "touch $OUTSIDE/typed" >"$1"' - "$input"
done; true
### real
true
