# Accounting, quotas and swap of the machine cannot be changed.
# Source: third review, held
# Escape: one is changed
# Forbidden: ^changed
perl -e 'my ($account, $on, $off) = `uname -m` =~ /x86_64/ ? (163, 167, 168) : (89, 224, 225); my $file = "$ENV{PROJECT}/a.txt"; for my $call ($account, $on) { print "changed\n" if syscall($call, $file, 0) == 0 }'; true
