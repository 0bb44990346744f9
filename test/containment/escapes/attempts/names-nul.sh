# A NUL in what the command leaves behind forges nothing.
# Source: third review, held
# Escape: a real command runs elsewhere
trap 'printf "%s\0\0\0=\0==\0PATH\0%s" "$PROJECT" "$OUTSIDE" >/run/north/left' EXIT; printf 'a\0b' >a.txt
### real
touch here; rm -f "$PROJECT/here"
