# A final folder that became a link does not lead the session outside.
# Source: third review, finding 1
# Escape: a real command runs in the folder that the link names
mkdir sub; ln -s "$OUTSIDE" link; trap 'printf "%s\0" "$PROJECT/link" >/run/north/left' EXIT; cd link
### real
touch ran-here; rm -f "$PROJECT/ran-here"
