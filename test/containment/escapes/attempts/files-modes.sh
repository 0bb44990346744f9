# Modes, owners and times outside stay as they are.
# Source: third review, held
# Escape: a file outside differs
chmod 000 "$OUTSIDE/file.txt" ~/.bashrc; chown 1:1 "$OUTSIDE/file.txt"; touch -d 2001-01-01 "$OUTSIDE/file.txt"; setfattr -n user.x -v x "$OUTSIDE/file.txt"; truncate -s 0 "$OUTSIDE/file.txt"
