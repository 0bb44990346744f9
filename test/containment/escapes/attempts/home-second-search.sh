# No mount whatever shows HOME again.
# Source: third review, finding 9
# Escape: the key is printed
while read -r _ _ _ _ point _; do cat "$point/.ssh/id_rsa" "$point/home/.ssh/id_rsa" "$point/$HOME/.ssh/id_rsa"; done </proc/self/mountinfo 2>/dev/null
