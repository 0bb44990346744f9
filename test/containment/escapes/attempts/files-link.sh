# A link in the project does not lead a write outside.
# Source: the first attacks
# Escape: a file outside differs
ln -s "$OUTSIDE" out; echo x >out/file.txt; rm -rf out/
