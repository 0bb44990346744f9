# A HEAD that names a file elsewhere does not show how that file begins.
# Source: attack on the rebuilt containment
# Escape: the first characters of a file outside are in the question
# Forbidden: hunter2|Error
echo 'ref: ../../../.ssh/id_rsa' >.git/HEAD
### contained
echo 'ref: /../../../../.ssh/id_rsa' >.git/HEAD
### contained
ln -s "$HOME/.ssh" .git/elsewhere && echo 'ref: elsewhere/id_rsa' >.git/HEAD
### contained
echo 'ref: ../../.ssh/id_rsa' >.git/HEAD
### contained
echo 'ref: ../../../../../../../../../../../..'"$HOME/.ssh/id_rsa" >.git/HEAD
### contained
rm -rf .git/refs && ln -s "$HOME/.ssh" .git/refs && echo 'ref: refs/id_rsa' >.git/HEAD
### contained
rm -rf .git && ln -s "$HOME/.ssh" .git
### contained
printf 'ref: refs/a\0b/c' >.git/HEAD
### contained
printf 'ref: refs/%05000d/c' 1 >.git/HEAD
### contained
rm -rf .git && echo x >.git
