# Endless small files end with the command.
# Source: third review, held
# Escape: a file of the project differs
# Limits: writtenMb=20
mkdir many; perl -e 'for my $name (0 .. 8000) { open my $file, ">", "many/$name"; syswrite $file, "x" x 4096 }'; sleep 10
