# The kernel's performance events show nothing of others.
# Source: third review, held
# Escape: an event of a process outside opens
# Forbidden: ^opened
perl -e 'my $perf = `uname -m` =~ /x86_64/ ? 298 : 241; my $attributes = pack("LLQ", 1, 112, 0) . "\0" x 96; for my $process (1, -1) { print "opened $process\n" if syscall($perf, $attributes, $process, 0, -1, 0) >= 0 }'; true
