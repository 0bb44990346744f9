# A descriptor of a folder outside cannot be received from anybody.
# Source: third review, held
# Escape: the service gets a connection
python3 -c '
import os, socket
for place in [os.environ["SERVICE"], "\0" + os.environ["ABSTRACT"], os.environ["BUS"]]:
    one = socket.socket(socket.AF_UNIX)
    try: one.connect(place); print(socket.recv_fds(one, 100, 4))
    except OSError as error: print(error)
'
