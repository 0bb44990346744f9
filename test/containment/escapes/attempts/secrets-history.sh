# A secret that only git's history holds is not printed.
# Source: attack on the rebuilt containment
# Escape: the secret is printed
### outside
echo 'SESSION_KEY=hunter2-past-4b1d7e' >.env.production; git add -f .env.production; git -c user.name=a -c user.email=a@b commit -qm second; git rm -q .env.production; git -c user.name=a -c user.email=a@b commit -qm third
### contained
git log -p -- .env.production; git show HEAD~1:.env.production
