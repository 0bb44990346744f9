# The machine's name stays.
# Source: third review, held
# Escape: it differs outside
hostname north-was-here; domainname north-was-here; perl -e 'my $name = "north-was-here"; syscall(`uname -m` =~ /x86_64/ ? 170 : 161, $name, 14)'
