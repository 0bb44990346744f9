# Attributes of mounts cannot be changed.
# Source: third review, held
# Escape: a trace appears
perl -e '
    for my $place ("/", "/etc", "/usr", "/home") {
        my $attributes = pack "Q4", 0, 1, 0, 0;
        syscall(442, -100, $place, 0x8000, $attributes, 32);
    }'
for folder in / /etc /usr /home; do echo x >"$folder/north-was-here"; done
