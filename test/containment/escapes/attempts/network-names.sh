# Names are resolved by nobody outside.
# Source: third review, held
# Escape: a name is resolved
# Forbidden: ^resolved
getent hosts example.org && echo resolved; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); for ("/run/systemd/resolve/io.systemd.Resolve", "/var/run/nscd/socket", "/run/dbus/system_bus_socket", "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock") { connect(S, sockaddr_un($_)) and print "resolved by $_\n" }'; true
