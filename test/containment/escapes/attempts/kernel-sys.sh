# The kernel's switches in /sys cannot be written.
# Source: the first attacks
# Escape: a value differs outside
for value in never always; do echo "$value" >/sys/kernel/mm/transparent_hugepage/enabled; done
