# Credentials in git's settings are not printed.
# Source: third review, finding 15
# Escape: a token is printed
git remote -v; cat .git/config; git config --get-all http.extraheader; cp .git/config c; cat c
