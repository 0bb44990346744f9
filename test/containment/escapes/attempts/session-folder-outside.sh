# A forged final folder outside the view does not move the session.
# Source: third review, finding 1
# Escape: a real command runs in the forged folder
trap 'printf "%s\0" "$OUTSIDE" >/run/north/left' EXIT
### real
touch ran-here; rm -f "$PROJECT/ran-here"
