# The session's keys cannot be read.
# Source: third review, finding 19
# Escape: the key's content is printed
perl -MPOSIX -e '
    my $keyctl = (POSIX::uname())[4] eq "x86_64" ? 250 : 219;
    for my $ring (-1, -2, -3, -4, -5) {
        my ($type, $name, $text) = ("user", "planted", "\0" x 100);
        my $key = syscall($keyctl, 10, $ring, $type, $name, 0);
        my $size = syscall($keyctl, 11, $key, $text, 100);
        print substr($text, 0, $size), "\n" if $size > 0;
    }'; cat /proc/keys
