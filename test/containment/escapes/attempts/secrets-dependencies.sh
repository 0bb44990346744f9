# A secret in a dependency's folder is hidden.
# Source: third review, finding 15
# Escape: the secret is printed
cat node_modules/package/.env
