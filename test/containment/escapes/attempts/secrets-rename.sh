# A secret's folder that is moved takes no secret along.
# Source: third review, held
# Escape: the secret is printed
mkdir -p keep && cd .. && mv project moved && cat moved/.env; cd /tmp && cp -a "$PROJECT" copy && cat copy/.env
