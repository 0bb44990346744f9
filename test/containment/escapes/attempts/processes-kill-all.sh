# No number of a process reaches one outside.
# Source: the first attacks
# Escape: a process outside ends
for ((id = 1; id < 2000; id++)); do ((id == $$)) || kill -9 "$id" 2>/dev/null; done; echo alive
