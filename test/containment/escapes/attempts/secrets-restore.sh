# A deleted secret does not come back readable.
# Source: the first attacks
# Escape: the secret is printed
rm .env; cat .env; ls -la .env; echo x >.env; rm .env; mv .env~ .env; cat .env
