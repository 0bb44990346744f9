# A read-only folder cannot be remounted writable.
# Source: the first attacks
# Escape: a trace appears
mount -o remount,rw /; mount -o remount,rw,bind /etc; echo x >/etc/north-was-here; echo x >/usr/north-was-here
