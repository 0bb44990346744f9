# The output of other commands cannot be written into.
# Source: third review, finding 3
# Escape: a pipe of North's is there
# Forbidden: a pipe of North
for pipe in "$PLACE"/tmp/north-*/* /tmp/north-*/* "$HOME"/.north/contained/*/output-*; do
    [[ -p $pipe ]] && echo "a pipe of North: $pipe"
done; true
