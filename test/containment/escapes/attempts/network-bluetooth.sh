# No Bluetooth socket can be made.
# Source: third review, held
# Escape: the socket is there
# Forbidden: ^made
perl -e 'for my $kind (1, 2, 3, 5) { for my $protocol (0 .. 7) { socket(my $s, 31, $kind, $protocol) and print "made one\n" } }'; true
