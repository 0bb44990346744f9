# Nothing can be typed by TIOCSTI.
# Source: third review, held
# Escape: a character is typed
# Forbidden: ^typed
perl -e '
    for my $place (0, 1, 2) { my $byte = "x"; open my $file, "+<&=", $place or next; print "typed\n" if ioctl $file, 0x5412, $byte }
    my $byte = "x"; open my $file, "+<", "/dev/tty" and ioctl($file, 0x5412, $byte) and print "typed\n";'; true
