# Files of HOME can be neither changed, deleted nor moved.
# Source: the first attacks
# Escape: a file of HOME differs
echo x >>~/.bashrc; rm -f ~/.bashrc; mv ~/.ssh ~/s; chmod -R 777 ~; touch ~/.profile
