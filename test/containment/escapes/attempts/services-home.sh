# A socket in a shown folder of HOME refuses.
# Source: third review, finding 10
# Escape: the service gets a connection
perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) && print <S>' ~/.cargo/service.sock
