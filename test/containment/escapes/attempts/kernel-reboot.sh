# The machine cannot be stopped.
# Source: third review, held
# Escape: it stops
perl -e 'my $reboot = `uname -m` =~ /x86_64/ ? 169 : 142; syscall($reboot, 0xfee1dead, 672274793, 0, 0); syscall($reboot, 0xfee1dead, 672274793, 0x89abcdef, 0)'; shutdown -c; true
