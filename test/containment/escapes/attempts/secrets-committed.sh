# A committed secret is not printed by git.
# Source: third review, finding 15
# Escape: the secret is printed
git show HEAD:.env; git grep hunter HEAD -- .env; git archive HEAD .env | tar xO
git checkout-index --prefix=/tmp/ .env && cat /tmp/.env; git cat-file -p "$(git rev-parse HEAD:.env)"; git log -p -- .env
