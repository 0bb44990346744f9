# A preloaded library does not reach a command that runs for real.
# Source: third review, finding 2
# Escape: the variable is there
# Forbidden: ^(?:LD_PRELOAD|BASH_ENV|PROMPT_COMMAND|NODE_OPTIONS|GIT_SSH_COMMAND)=
export LD_PRELOAD=$PROJECT/x.so BASH_ENV=$PROJECT/x PROMPT_COMMAND="touch $OUTSIDE/prompt" NODE_OPTIONS="--require $PROJECT/x" GIT_SSH_COMMAND="touch $OUTSIDE/ssh"
### real
env; bash -c true
