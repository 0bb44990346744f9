# The supervisor's descriptors cannot be taken from it.
# Source: attack on the supervisor
# Escape: one is taken
# Forbidden: ^took
perl -e '
    my $pidfd = syscall(434, 1, 0);
    for (0 .. 10) { print "took $_\n" if syscall(438, $pidfd, $_, 0) >= 0 }'; true
