# A .git file does not uncover a secret of the machine.
# Source: third review, finding 6
# Escape: the file of passwords is printed
# Forbidden: ^root:
### outside
rm -rf .git && echo 'gitdir: /etc' >.git
### contained
cat /etc/shadow
