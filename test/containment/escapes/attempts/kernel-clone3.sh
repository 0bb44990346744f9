# A process cannot be born into namespaces of its own.
# Source: attack on the supervisor
# Escape: it is
# Forbidden: ^born
perl -e '
    for my $flags (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x10020000) {
        my $arguments = pack("Q11", $flags, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0);
        my $child = syscall(435, $arguments, 88);
        if ($child == 0) { print "born with $flags\n"; exit }
        waitpid $child, 0 if $child > 0;
    }'; true
