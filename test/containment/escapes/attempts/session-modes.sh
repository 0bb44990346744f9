# A command that closes what later ones need does not stop them.
# Source: attack on the supervisor
# Escape: the next command fails
# Forbidden: EACCES|[Pp]ermission denied
chmod 000 /proc/self/fd/1 /proc/self/fd/2 /tmp
### contained
echo x >"${TMPDIR:-/tmp}/x"; cat "${TMPDIR:-/tmp}/x"
### contained
echo x
