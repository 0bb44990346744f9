# A path longer than the kernel takes at once leaves the project as it was.
# Source: third review, finding 26
# Escape: an internal error is told
# Forbidden: ENAMETOOLONG|lstat
name=$(printf 'n%.0s' {1..200}); for i in {1..25}; do mkdir "$name" && cd "$name"; done; echo x >deep; mkdir -p /tmp/long && cd /tmp/long && for i in {1..25}; do mkdir "$name" && cd "$name"; done
