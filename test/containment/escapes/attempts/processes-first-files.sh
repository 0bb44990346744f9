# What /proc tells of the first process holds no secret.
# Source: third review, held
# Escape: a secret is printed
for name in environ cmdline cwd/.env root/.env auxv io mountinfo mounts limits stack syscall wchan map_files; do cat "/proc/1/$name"; done | tr '\0' '\n'; ls -laR /proc/1/map_files /proc/1/task/1/fd
