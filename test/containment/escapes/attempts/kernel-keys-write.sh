# No key is added to the session's, nor revoked.
# Source: third review, finding 19
# Escape: the session's keys differ outside
perl -MPOSIX -e '
    my ($add, $keyctl) = (POSIX::uname())[4] eq "x86_64" ? (248, 250) : (217, 219);
    my ($type, $name, $planted, $text) = ("user", "north-was-here", "planted", "x");
    syscall($add, $type, $name, $text, 1, $_) for (-3, -4, -5);
    my $key = syscall($keyctl, 10, -3, $type, $planted, 0);
    syscall($keyctl, 2, $key, $text, 1); syscall($keyctl, 3, $key); syscall($keyctl, 9, $key, -3); syscall($keyctl, 7, -3);'
