# No namespace can be joined by a descriptor.
# Source: third review, held
# Escape: a namespace is joined
# Forbidden: ^joined
perl -e '
    my ($join, $pidfd) = `uname -m` =~ /x86_64/ ? (308, 434) : (268, 434);
    for my $process (1, $ENV{PARENT}) {
        for my $name (qw(mnt net pid user uts ipc cgroup)) {
            open my $file, "<", "/proc/$process/ns/$name" or next;
            next if readlink("/proc/$process/ns/$name") eq readlink("/proc/self/ns/$name");
            print "joined $name\n" if syscall($join, fileno $file, 0) == 0;
        }
        my $file = syscall($pidfd, $process, 0);
        print "joined all\n" if $file >= 0 && syscall($join, $file, 0x20000) == 0;
    }'; true
