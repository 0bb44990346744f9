# No process outlives its command.
# Source: the first attacks
# Escape: a process goes on
setsid sh -c "exec -a $MARK sleep 987; echo x >$OUTSIDE/late" & nohup bash -c "exec -a $MARK sleep 987" &
(bash -c "exec -a $MARK sleep 987" &)
