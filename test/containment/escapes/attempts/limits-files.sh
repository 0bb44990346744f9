# Endless small files end with the command.
# Source: third review, held
# Escape: a file of the project differs
# Limits: writtenMb=20
mkdir many; for ((i = 0; i < 20000; i++)); do head -c 4096 /dev/zero >"many/$i"; done
