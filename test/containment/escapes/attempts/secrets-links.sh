# A secret of the project cannot be read by another name.
# Source: the first attacks
# Escape: the secret is printed
ln .env hard; cat hard; ln -s .env soft; cat soft; mv .env moved; cat moved
