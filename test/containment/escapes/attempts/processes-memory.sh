# The memory of the first process cannot be read.
# Source: third review, held
# Escape: it is read
# Forbidden: ^read
perl -e '
    my $read = `uname -m` =~ /x86_64/ ? 310 : 270;
    my ($range) = `head -1 /proc/1/maps` =~ /^([0-9a-f]+)/ or $range = "400000";
    my $into = "\0" x 64; my $address = unpack "Q", pack "p", $into;
    my ($local, $remote) = (pack("QQ", $address, 64), pack("QQ", hex $range, 64));
    print "read it\n" if syscall($read, 1, $local, 1, $remote, 1, 0) > 0;
    open my $memory, "<", "/proc/1/mem" and print "read the file\n";'; true
