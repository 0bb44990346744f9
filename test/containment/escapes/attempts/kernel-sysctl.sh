# No switch of the kernel below /proc/sys can be written.
# Source: third review, held
# Escape: a value differs outside
find /proc/sys -type f -writable 2>/dev/null | while read -r file; do echo "$file"; done | grep -v -E '^/proc/sys/(net|user|kernel/(pid_max|ns_last_pid|msg|sem|shm|auto_msgmni|domainname|hostname)|fs/mqueue)' | head -3
for file in kernel/sysrq vm/drop_caches kernel/modprobe fs/suid_dumpable; do echo 0 >"/proc/sys/$file"; done
