# Devices can be neither made nor read.
# Source: the first attacks
# Escape: a device is read
# Forbidden: read a device
mknod disk b 254 0; head -c 10 disk && echo read a device
mknod memory c 1 1; head -c 10 memory && echo read a device
