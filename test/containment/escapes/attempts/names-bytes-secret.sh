# A secret in a folder whose name is not UTF-8 is hidden.
# Source: third review, finding 26
# Escape: the secret is printed
cat odd*/.env
