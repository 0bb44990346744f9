# The machine's limit on processes is not set.
# Source: third review, finding 33
# Escape: the limit differs outside
echo 500 >/proc/sys/kernel/pid_max; cat /proc/sys/kernel/pid_max
