# No program makes the command another user.
# Source: the first attacks
# Escape: a trace appears
for become in 'sudo -n' 'su -c' pkexec 'runuser -u root --'; do $become touch /etc/north-was-here </dev/null; done; newgrp root </dev/null
