# An exported mail path runs nothing at the real session's next prompt.
# Source: third review, finding 2
# Escape: a file appears outside
export MAILCHECK=0 MAILPATH="$PROJECT/a.txt?\$(touch $OUTSIDE/mail)"
### real
true; sleep 1.1
### real
touch a.txt; true
### real
true
