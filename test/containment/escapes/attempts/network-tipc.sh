# No TIPC, RDS or KCM socket can be made that reaches another machine.
# Source: third review, held
# Escape: a connection succeeds
# Forbidden: ^connected
perl -e 'for my $family (21, 30, 41) { socket(my $s, $family, 5, 0) or next; my $address = pack "SCCLLL", $family, 2, 0, 1, 1, 0; print "connected\n" if connect $s, $address }'; true
