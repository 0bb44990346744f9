# A variable that looks like an exported function is no function for a real command.
# Source: third review, held
# Escape: a file appears outside
env "BASH_FUNC_ls%%=() { touch $OUTSIDE/function; }" true
printf '%s\0BASH_FUNC_ls%%%%=() { touch %s/function; }\0A;touch %s/name=1\0' "$PROJECT" "$OUTSIDE" "$OUTSIDE" >/run/north/forged
trap 'cat /run/north/forged >/run/north/left' EXIT
### real
ls >/dev/null; true
