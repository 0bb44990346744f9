# A mount cannot be moved away from what it covers.
# Source: third review, held
# Escape: a secret is printed
mkdir -p /tmp/away; mount --move "$PROJECT" /tmp/away; cat "$PROJECT/.env"; mount --move "$HOME" /tmp/away; cat ~/.ssh/id_rsa
