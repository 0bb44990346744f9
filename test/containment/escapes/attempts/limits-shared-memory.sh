# Shared memory counts towards the limit.
# Source: third review, finding 25
# Escape: more than the limit is held
# Forbidden: ^held
# Limits: memoryMb=300
perl -e '
    my $size = 700 << 20;
    my $map = (my $machine = `uname -m`) =~ /x86_64/ ? 9 : 222;
    my $at = syscall($map, 0, $size, 3, 0x8021, -1, 0);
    sleep 10; print "held\n" if $at > 0;'; true
