# Raw packets do not leave.
# Source: third review, held
# Escape: the service gets a connection
python3 -c '
import socket
for family, kind, protocol in [(2, 3, 1), (2, 3, 255), (17, 3, 768), (10, 3, 58)]:
    try: one = socket.socket(family, kind, protocol); one.sendto(b"x" * 60, ("192.0.2.1", 1)); print("sent", family)
    except (OSError, TypeError) as error: print(error)
'; exec 3<>"/dev/tcp/$(hostname -i | cut -d" " -f1)/$PORT"
