# No namespace of another process can be entered.
# Source: the first attacks
# Escape: the key or a token is printed
unshare --user --map-root-user --mount-proc --pid --fork cat /proc/1/environ
nsenter --target 1 --all cat "$HOME/.ssh/id_rsa"; nsenter --target "$PARENT" --mount cat "$HOME/.ssh/id_rsa"
