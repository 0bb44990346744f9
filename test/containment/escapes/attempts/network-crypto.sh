# Sockets to the kernel's ciphers show nothing.
# Source: third review, held
# Escape: a secret is printed
python3 -c '
import socket
try:
    one = socket.socket(38, socket.SOCK_SEQPACKET, 0); one.bind(("hash", "sha256")); print("hash")
except OSError as error: print(error)
'; cat .env
