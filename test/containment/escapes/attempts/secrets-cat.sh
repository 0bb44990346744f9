# A secret of the project cannot be read, copied or opened up.
# Source: the first attacks
# Escape: the secret is printed
cat .env; cat <.env; cp .env e; cat e; dd if=.env; chmod 777 .env; cat .env
