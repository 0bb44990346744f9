# A socket outside takes no datagram either, nor one by a link or a short name.
# Source: third review, finding 10
# Escape: the service gets a connection
cd "$OUTSIDE" && perl -MSocket -e 'for my $type (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) { socket(S, AF_UNIX, $type, 0); connect(S, sockaddr_un("service.sock")) && print <S>; close S }'
ln -s "$SERVICE" /tmp/s; perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("/tmp/s")) && print <S>'
