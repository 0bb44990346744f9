# A bare repository in pieces runs nothing outside.
# Source: third review, held
# Escape: a file appears outside
mkdir -p objects refs hooks; echo 'ref: refs/heads/main' >HEAD
printf '[core]\n\tbare = false\n\tfsmonitor = touch %s/monitor\n\thooksPath = hooks\n' "$OUTSIDE" >config
printf '#!/bin/sh\ntouch %s/hook\n' "$OUTSIDE" >hooks/post-checkout; chmod +x hooks/post-checkout
