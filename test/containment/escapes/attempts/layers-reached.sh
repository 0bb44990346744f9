# The layers cannot be reached from inside.
# Source: third review, finding 1
# Escape: the secret is printed, or a layer is listed
# Forbidden: ^(?:upper|work|fstab|exchange)$
ls ~/.north/contained/*/* ~/.north/contained/*/*/*; cat ~/.north/contained/*/lower/.env
for entry in /proc/[0-9]*; do ls "$entry/cwd" "$entry/cwd/1" 2>/dev/null; done
