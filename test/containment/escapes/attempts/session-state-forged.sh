# Variables that bash reads itself do not change how the next command starts.
# Source: attack on the rebuilt containment
# Escape: something runs before the command, outside, or a real command has one
# Forbidden: ^(?:ran|POSIXLY_CORRECT=|PS4=|IFS=X|LD_PRELOAD=)
declare -x IFS=X POSIXLY_CORRECT=1 PS4='$(echo ran >&2; touch $OUTSIDE/ran)' LD_PRELOAD=/tmp/x.so PROMPT_COMMAND='echo ran' BASH_ENV=/tmp/e ENV=/tmp/e SHELLOPTS
declare -ix N='a[$(touch $OUTSIDE/ran)0]' 2>/dev/null; export $'A\nB=1' 2>/dev/null; echo 'echo ran' >/tmp/e
env $'x[$(touch '"$OUTSIDE"$'/ran)]=1' 'a b=1' bash -c 'printf "%s\0" "$PWD" "x[\$(touch $OUTSIDE/ran)]=1" "a;touch $OUTSIDE/ran=1" "A
B=1" >/run/north/left'
trap - EXIT; printf '%s\0' "$PWD" 'x[$(touch '"$OUTSIDE"'/ran)]=1' "a;touch $OUTSIDE/ran;b=1" 'PS4=$(echo ran)' 'IFS=X' >/run/north/left
### contained
env | grep -a '^x\|^a'
### real
env; set -x; true
