# Folders above the project cannot be written.
# Source: the first attacks
# Escape: a file outside differs
cd ../../..; rm -rf outside; echo x >north-was-here; cd /; echo x >north-was-here
