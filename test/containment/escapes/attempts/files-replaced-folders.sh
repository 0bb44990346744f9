# Replaced, moved and linked folders lead no effect outside.
# Source: third review, held
# Escape: a file outside differs
mv src old; ln -s "$OUTSIDE" src; echo x >src/file.txt; rm -rf old; mkdir -p old/sub; ln -s ../../../../outside old/sub/out; echo x >old/sub/out/new; rm -rf node_modules && ln -s "$HOME" node_modules && rm -rf node_modules/.bashrc
