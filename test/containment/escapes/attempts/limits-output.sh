# Endless output is cut off.
# Source: third review, held
# Escape: North waits for ever
# Limits: writtenMb=20
yes
