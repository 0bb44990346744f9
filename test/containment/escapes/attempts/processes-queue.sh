# Signals with a value, by process descriptors or to groups reach nothing outside.
# Source: third review, held
# Escape: a process outside ends
perl -e '
    for my $process (1, $ENV{PARENT}, -1, 0) { my $file = syscall(434, $process, 0); syscall(424, $file, 9, 0, 0) if $file >= 0 }
    kill 9, -$ENV{PARENT};'; kill -9 -"$PARENT"
