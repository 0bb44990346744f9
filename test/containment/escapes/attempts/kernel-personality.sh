# A changed personality opens nothing.
# Source: third review, held
# Escape: a secret is printed
setarch -R cat ~/.ssh/id_rsa; setarch "$(uname -m)" -B cat .env
