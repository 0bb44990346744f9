# A named pipe in a shown folder of HOME takes no bytes.
# Source: third review, finding 10
# Escape: the pipe gets bytes
perl -MFcntl -e 'sysopen(P, "$ENV{HOME}/.cargo/pipe", O_RDWR | O_NONBLOCK) && syswrite(P, "x")'
