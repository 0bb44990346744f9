# A link that replaces a folder leads North nowhere when it reads the changes.
# Source: attack on the rebuilt containment
# Escape: a file outside is read or changed
rm -rf src && ln -s "$NEIGHBOUR" src
### contained
mv src other && ln -s "$HOME/.ssh" src && rm -rf node_modules && ln -s "$HOME/.ssh" node_modules
### contained
rm -rf src; mkdir src; ln -s "$NEIGHBOUR/private.txt" src/b.txt; ln -s "$HOME/.ssh/id_rsa" a; rm a.txt; mkfifo a.txt
### contained
rm a.txt; ln "$HOME/.local/bin/tool" a.txt; ln /run/north/start b; truncate -s 3T huge; ln -s a.txt .git/index.lock
### contained
mknod a b 0 0; mknod c c 0 0; setfattr -n user.overlay.redirect -v /../../../.ssh src; setfattr -n user.overlay.metacopy -v '' a.txt; mkdir .GIT; echo x >.GIT/config
