# No mode, owner or list of rights opens a secret.
# Source: third review, held
# Escape: the secret is printed
chmod 777 .env; chown "$(id -u)" .env; setfacl -m "u:$(id -u):r" .env; chattr -i .env; cat .env; truncate -s +10 .env; cat .env; touch .env; cat .env
