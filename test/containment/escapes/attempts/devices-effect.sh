# A device is no effect.
# Source: third review, held
# Escape: the effects name it
# Forbidden: ^(?:disk|pipe) 
mknod disk b 8 0; mkfifo pipe; true
