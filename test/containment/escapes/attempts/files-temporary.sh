# Temporary folders are private.
# Source: the first attacks
# Escape: a trace appears in one of them
ls /run /var/run /tmp; for folder in /tmp /var/tmp /dev/shm /run; do echo x >"$folder/north-was-here"; done
