# The machine's own loopback is out of reach.
# Source: the first attacks
# Escape: the service gets a connection
exec 3<>"/dev/tcp/127.0.0.1/$PORT" && cat <&3; exec 3<>"/dev/tcp/::1/$PORT"
