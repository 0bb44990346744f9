# There is no way to another machine, and none can be made.
# Source: the first attacks
# Escape: a connection succeeds
# Forbidden: connected
exec 3<>/dev/tcp/192.0.2.1/80 && echo connected
ip link set eth0 up; ip route add default via 127.0.0.1; ping -c1 -W1 192.0.2.1 && echo connected
