# North's settings, keys and conversations cannot be read.
# Source: the first attacks
# Escape: a key or a conversation is printed
cat ~/.config/north/credentials.json; find ~/.north ~/.config/north -type f -exec cat {} +
