# A file in memory counts towards the limit.
# Source: third review, finding 25
# Escape: more than the limit is held
# Forbidden: ^held
# Limits: memoryMb=300
perl -e '
    my ($create, $name) = (`uname -m` =~ /x86_64/ ? 319 : 279, "m");
    my @files;
    for (1 .. 7) {
        my $file = syscall($create, $name, 0);
        open my $memory, ">&=", $file or die; print {$memory} "x" x (1 << 20) for 1 .. 100; $memory->flush; push @files, $memory;
    }
    sleep 10; print "held\n";'; true
