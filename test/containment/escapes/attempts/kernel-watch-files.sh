# Files of the machine cannot be watched with fanotify.
# Source: third review, held
# Escape: a mount is watched
# Forbidden: ^watched
perl -e 'my ($init, $mark) = `uname -m` =~ /x86_64/ ? (300, 301) : (262, 263); my $place = "/"; my $group = syscall($init, 0, 0); print "watched\n" if $group >= 0 && syscall($mark, $group, 0x11, 0x20, -100, $place) == 0'; true
