# A key in HOME cannot be read.
# Source: the first attacks
# Escape: the key is printed
cat ~/.ssh/id_rsa "$HOME/.ssh/id_rsa" "$PLACE/home/code/../.ssh/id_rsa"
