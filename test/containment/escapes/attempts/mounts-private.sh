# What is private is mounted, and its own.
# Source: third review, finding 4
# Escape: a private folder is missing
# Forbidden: not private
# A read-only command has a temporary folder instead of all these.
if [[ ! ${TMPDIR-} ]]; then
    touch /dev/shm/north-was-here || echo /dev/shm is not private
    touch /run/north-was-here 2>/dev/null || [[ ! -e $BUS ]] || echo /run is not private
    python3 -c 'import os; os.openpty()' || echo terminals are not private
fi
