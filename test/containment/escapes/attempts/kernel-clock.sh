# The clock cannot be set.
# Source: third review, held
# Escape: the clock differs
# Forbidden: ^set
date -s '2001-01-01' >/dev/null 2>&1 && echo set the date; hwclock --systohc 2>/dev/null && echo set the clock; true
