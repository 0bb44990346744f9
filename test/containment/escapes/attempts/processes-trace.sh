# The first process cannot be traced.
# Source: third review, held
# Escape: it is traced
# Forbidden: ^traced
perl -e '
    my $trace = `uname -m` =~ /x86_64/ ? 101 : 117;
    for my $process (1, $ENV{PARENT}) { for my $request (16, 0x4206) { print "traced $process\n" if syscall($trace, $request, $process, 0, 0) == 0 } }'; strace -p 1 -o /dev/null & sleep 0.2; kill %1; true
