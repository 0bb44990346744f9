# No descriptor of another process can be taken over.
# Source: third review, held
# Escape: one is taken
# Forbidden: ^taken
perl -e '
    for my $process (1, $ENV{PARENT}) {
        my $file = syscall(434, $process, 0);
        for my $number (0 .. 20) { print "taken $number\n" if $file >= 0 && syscall(438, $file, $number, 0) >= 0 }
    }'; cat /proc/1/fd/0 /proc/1/fd/3 2>/dev/null; true
