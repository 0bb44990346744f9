# What covers the project and HOME cannot be unmounted.
# Source: the first attacks
# Escape: a secret is printed
umount "$PROJECT"; umount -l "$PROJECT"; cat "$PROJECT/.env"; umount -l "$HOME"; cat "$HOME/.ssh/id_rsa"
