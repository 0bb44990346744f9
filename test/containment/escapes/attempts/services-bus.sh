# The session's bus below /run is out of reach.
# Source: third review, finding 4
# Escape: the bus gets a connection
for bus in "$BUS" /run/user/*/bus /var/run/user/*/bus; do
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) && print <S>' "$bus"
done; systemd-run --user true
