# Messages to the kernel change no interface of the machine.
# Source: third review, held
# Escape: the service gets a connection
ip link add north0 type dummy; ip addr add 192.0.2.9/24 dev lo; ip netns list; ip link set lo netns 1; ss -lx | head -1; exec 3<>"/dev/tcp/192.0.2.9/$PORT"
