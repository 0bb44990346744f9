# The kernel's log cannot be read or cleared.
# Source: third review, held
# Escape: a line of it is read
# Forbidden: ^read
perl -e 'my $log = `uname -m` =~ /x86_64/ ? 103 : 116; my $text = "\0" x 1000; for my $action (3, 4) { print "read the log\n" if syscall($log, $action, $text, 1000) > 0 } syscall($log, 5, 0, 0)'; head -c 100 /dev/kmsg | grep -q . && echo read the device; true
