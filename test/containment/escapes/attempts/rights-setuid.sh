# A setuid program does not become an effect.
# Source: the first attacks
# Escape: the effects name it
# Forbidden: ^shell .ELF
chmod u+s a.txt; cp /bin/bash shell; chmod 4755 shell; ./shell -p -c id
