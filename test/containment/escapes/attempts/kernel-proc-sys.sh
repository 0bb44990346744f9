# The kernel's switches in /proc cannot be written.
# Source: the first attacks
# Escape: a value differs outside
echo 0 >/proc/sys/kernel/sysrq; echo '|/bin/true' >/proc/sys/kernel/core_pattern
[[ -w /proc/sysrq-trigger ]] && echo h >/proc/sysrq-trigger; true
