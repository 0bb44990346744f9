# A file cannot be opened by its handle.
# Source: third review, held
# Escape: a file is opened
# Forbidden: ^opened
perl -e '
    my ($handle_of, $open) = `uname -m` =~ /x86_64/ ? (303, 304) : (264, 265);
    my ($place, $id) = ($ENV{PROJECT}, "\0" x 4);
    my $handle = pack("L", 128) . "\0" x 132;
    syscall($handle_of, -100, $place, $handle, $id, 0);
    opendir my $folder, "/etc" or die;
    for my $inode (2 .. 50) {
        my $guess = pack "LLLL", 8, 1, $inode, 0;
        print "opened $inode\n" if syscall($open, fileno(STDIN), $guess, 0) >= 0;
    }'; true
