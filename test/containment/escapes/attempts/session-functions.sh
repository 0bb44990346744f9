# Functions, aliases and traps do not reach a command that runs for real.
# Source: third review, finding 2
# Escape: a file appears outside
ls() { touch "$OUTSIDE/function"; }; export -f ls; alias git="touch $OUTSIDE/alias"; trap "touch $OUTSIDE/trap" DEBUG EXIT; enable -n test
### real
ls >/dev/null; git --version >/dev/null; true
