# A hard link does not carry a write outside.
# Source: the first attacks
# Escape: a file outside differs
ln "$OUTSIDE/file.txt" hard && echo x >>hard; ln ~/.bashrc hard2 && echo x >>hard2
