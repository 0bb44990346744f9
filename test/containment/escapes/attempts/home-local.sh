# A folder of programs in ~/.local does not show the rest of it.
# Source: checks of contained commands, 1
# Escape: the keyring is printed
cat ~/.local/share/keyrings/login.keyring; ls ~/.local/share; ~/.local/bin/tool
