# Settings that are shown without their credentials are not written back without them.
# Source: attack on the rebuilt containment
# Escape: a change without the credentials is offered
# Forbidden: ^\.gitconfig (?:\[|$)
### outside
printf '[http]\n\textraheader = Authorization: Bearer aB3dE5fG7hI9jK1lM3nO\n[user]\n\tname = me\n' >.gitconfig
### contained
echo '[a]' >>.gitconfig
### contained
touch .gitconfig
