# There is no terminal to type into.
# Source: third review, held
# Escape: a terminal opens
# Forbidden: ^opened
(exec 3<>/dev/tty) 2>/dev/null && echo opened a terminal
for terminal in /dev/tty[0-9]* /dev/pts/[0-9]* /dev/console /dev/ttyS0; do [[ -e $terminal ]] && (exec 3<>"$terminal") 2>/dev/null && echo "opened $terminal"; done; true
