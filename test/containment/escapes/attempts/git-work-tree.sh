# Git's own variables and settings lead it to no other repository for real.
# Source: third review, held
# Escape: a file outside differs
git -C "$NEIGHBOUR" init; git config core.worktree "$OUTSIDE"; git checkout -- . ; git worktree add "$OUTSIDE/tree"; git submodule add "$OUTSIDE" sub
