# A repository made inside the project leaves nothing.
# Source: the first attacks
# Escape: a file in the project differs
mkdir -p sub && cd sub && git init -q . && echo x >.git/hooks/post-checkout
