# Names of variables that are commands run nothing.
# Source: third review, held
# Escape: a file appears outside
trap 'printf "%s\0x\$(touch %s/name)=1\0a=\$(touch %s/value)\0=1\0b\0" "$PROJECT" "$OUTSIDE" "$OUTSIDE" >/run/north/left' EXIT
### contained
env >/dev/null
### real
env >/dev/null
