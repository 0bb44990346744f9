# A file outside the project can be neither changed nor deleted.
# Source: the first attacks
# Escape: the file differs
echo x >"$OUTSIDE/file.txt"; rm -f "$OUTSIDE/file.txt"; chmod 600 "$OUTSIDE/file.txt"; touch "$OUTSIDE/new"
