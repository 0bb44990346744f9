# A file outside the project, HOME and the system is not there.
# Source: third review, finding 9
# Escape: the file is printed
cat "$OUTSIDE/private.txt"
