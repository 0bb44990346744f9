# Programs of BPF cannot be attached.
# Source: third review, held
# Escape: a trace appears
perl -e 'my $bpf = `uname -m` =~ /x86_64/ ? 321 : 280; for my $command (0, 5, 8, 9, 11, 18) { my $attributes = "\0" x 128; print syscall($bpf, $command, $attributes, 128), "\n" }'; bpftool prog list; true
