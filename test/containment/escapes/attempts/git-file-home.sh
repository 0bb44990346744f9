# A .git file does not uncover a folder of HOME.
# Source: third review, finding 6
# Escape: the key is printed
### outside
rm -rf .git && echo 'gitdir: ../../.ssh' >.git
### contained
cat ../../.ssh/id_rsa ~/.ssh/id_rsa; git status
