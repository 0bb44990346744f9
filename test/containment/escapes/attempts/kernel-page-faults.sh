# Page faults of the kernel cannot be handled.
# Source: third review, held
# Escape: the kernel's faults are handled
# Forbidden: ^handled
perl -e 'my $call = `uname -m` =~ /x86_64/ ? 323 : 282; print "handled\n" if syscall($call, 0) >= 0 && -e "/proc/sys/vm/unprivileged_userfaultfd" && `cat /proc/sys/vm/unprivileged_userfaultfd` == 0'; true
