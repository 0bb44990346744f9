# Secrets under less common names are hidden.
# Source: third review, finding 15
# Escape: a secret is printed
cat .dev.vars .env~ firebase-adminsdk-x.json
