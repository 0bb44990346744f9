# No other family of addresses leads out.
# Source: third review, held
# Escape: a connection succeeds
# Forbidden: ^connected
perl -e 'for my $family (3 .. 9, 11, 12, 19, 20, 22 .. 28, 32 .. 37, 39, 42 .. 45) { for my $kind (1, 2, 5) { socket(my $s, $family, $kind, 0) or next; my $address = pack("S", $family) . "\1" x 26; print "connected $family\n" if $kind == 1 && connect $s, $address } }'; true
