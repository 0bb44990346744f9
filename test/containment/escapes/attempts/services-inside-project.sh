# A socket inside the project refuses.
# Source: third review, held
# Escape: the service gets a connection
perl -MSocket -e 'for (glob "$ENV{PROJECT}/*.sock $ENV{PROJECT}/.*.sock") { socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($_)) && print <S> }'
