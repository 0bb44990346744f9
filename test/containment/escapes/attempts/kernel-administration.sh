# Nothing that administers the machine works.
# Source: the first attacks
# Escape: the machine stops, or chroot works
# Forbidden: ^chrooted
dmesg | head -1; reboot -f; swapoff -a; insmod x; chroot / true && echo chrooted; true
