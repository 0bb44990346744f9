# A commondir inside .git does not uncover HOME.
# Source: third review, held
# Escape: the key is printed
### outside
echo ../../../.ssh >.git/commondir
### contained
cat ~/.ssh/id_rsa; git status
