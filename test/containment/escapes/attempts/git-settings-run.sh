# Settings of git that run programs do not when North looks at the effects.
# Source: third review, held
# Escape: a file appears outside
for name in core.fsmonitor core.sshCommand diff.external filter.x.clean core.pager gpg.program; do git config "$name" "touch $OUTSIDE/setting"; done
echo '* filter=x diff=x' >.gitattributes; echo b >>a.txt; git add a.txt; git commit -qm x
