# Alternates of git do not uncover HOME.
# Source: third review, held
# Escape: the key is printed
### outside
echo "$HOME/.ssh" >.git/objects/info/alternates
### contained
cat ~/.ssh/id_rsa; git fsck; git count-objects -v
