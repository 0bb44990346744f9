# A .git that is a link does not uncover HOME.
# Source: third review, held
# Escape: the key is printed
### outside
rm -rf .git && ln -s ../../.ssh .git
### contained
cat .git/id_rsa ~/.ssh/id_rsa
