# Nothing can be mounted elsewhere.
# Source: the first attacks
# Escape: the key is printed
mount --bind / /mnt; mount --rbind / /tmp; cat "/tmp$HOME/.ssh/id_rsa"; mount -t tmpfs none "$HOME"
