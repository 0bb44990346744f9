# No module and no other kernel can be loaded.
# Source: third review, held
# Escape: one is loaded
# Forbidden: ^loaded
modprobe dummy 2>/dev/null && echo loaded a module; perl -e 'my ($module, $kernel) = `uname -m` =~ /x86_64/ ? (313, 320) : (273, 294); my $options = ""; open my $file, "<", "/bin/true"; for my $call ($module, $kernel) { print "loaded\n" if syscall($call, fileno $file, $options, 0) == 0 }'; true
