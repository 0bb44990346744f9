# A hostile name of a branch runs nothing outside.
# Source: third review, held
# Escape: a file appears outside
printf 'ref: refs/heads/$(touch %s/branch)\n' "$OUTSIDE" >.git/HEAD; git status; git branch '--upload-pack=x' HEAD
