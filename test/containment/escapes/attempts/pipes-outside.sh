# A named pipe outside takes no bytes.
# Source: third review, finding 10
# Escape: the pipe gets bytes
timeout 2 bash -c 'echo x >"$PIPE"'; perl -MFcntl -e 'sysopen(P, $ENV{PIPE}, O_WRONLY | O_NONBLOCK) && syswrite(P, "x")'
