# Shared memory and the machine's name are its own.
# Source: the first attacks
# Escape: the name differs outside
ipcs -m | grep -c 0x; ipcmk -M 100; hostname north-was-here; echo north-was-here >/proc/sys/kernel/hostname
