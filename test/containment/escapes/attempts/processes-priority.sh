# Processes outside keep their priority and limits.
# Source: third review, held
# Escape: a process outside ends
renice -n 19 -p "$PARENT"; prlimit --pid "$PARENT" --cpu=1:1; prlimit --pid 1 --nproc=1:1; chrt -p -i 0 "$PARENT"; taskset -p 1 "$PARENT"; ionice -c 3 -p "$PARENT"
