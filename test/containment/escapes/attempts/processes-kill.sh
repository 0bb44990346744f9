# Processes outside cannot be killed or stopped.
# Source: the first attacks
# Escape: a process outside ends
kill -9 "$PARENT"; kill -9 1; kill -STOP 1; kill -9 -- -1
