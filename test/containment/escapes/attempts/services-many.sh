# No socket among hundreds answers.
# Source: third review, finding 10
# Escape: a service gets a connection
perl -MSocket -e 'for (@ARGV) { socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($_)) && print <S>; close S }' "$OUTSIDE"/many/*.sock "$SERVICE"
