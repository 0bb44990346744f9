# A secret is hidden in a project that is a mounted overlay.
# Source: third review, finding 4
# Escape: the secret is printed
cat "$PROJECT/.env"; dd if="$PROJECT/.env"
