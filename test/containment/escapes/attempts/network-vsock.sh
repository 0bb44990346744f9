# No socket to the hypervisor can be made.
# Source: third review, finding 28
# Escape: the socket is there
# Forbidden: made a socket
perl -e 'socket(my $s, 40, 1, 0) and print "made a socket\n"'
