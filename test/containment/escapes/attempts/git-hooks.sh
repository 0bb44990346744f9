# Git's hooks and settings of the project cannot be written.
# Source: the first attacks
# Escape: a file in .git differs
echo '#!/bin/sh' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.pager evil
