# A file system in user space shows nothing.
# Source: third review, held
# Escape: a secret is printed
fusermount -o rw /tmp; ls -la /dev/fuse; cat "/tmp$HOME/.ssh/id_rsa"
