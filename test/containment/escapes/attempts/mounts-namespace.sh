# A user namespace of its own gives no rights over mounts.
# Source: the first attacks
# Escape: a trace appears, or the key is printed
unshare --user --map-root-user --mount bash -c '
    mount -o remount,rw,bind /; echo x >/etc/north-was-here
    umount -l "$HOME"; cat ~/.ssh/id_rsa; umount -l "$PROJECT"; cat "$PROJECT/.env"'
