# A socket that appears while the command runs refuses.
# Source: third review, finding 10
# Escape: the service gets a connection
for ((i = 0; i < 15; i++)); do
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) && print <S>' "$LATE"; sleep 0.1
done
