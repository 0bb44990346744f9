# System folders cannot be written.
# Source: the first attacks
# Escape: a trace appears in one of them
for folder in /etc /usr /usr/bin /opt /srv /var /root /home /var/tmp/..; do echo x >"$folder/north-was-here"; done
