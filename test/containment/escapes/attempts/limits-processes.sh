# Endless processes end with the command.
# Source: third review, held
# Escape: a process goes on
# Limits: processes=100
bomb() { bomb & bomb; }; exec -a "$MARK" bash -c 'bomb() { bomb & bomb; }; bomb'
