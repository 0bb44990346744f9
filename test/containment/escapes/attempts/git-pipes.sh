# A named pipe in git's folder does not stop North.
# Source: attack on the rebuilt containment
# Escape: North waits for ever
rm .git/index && mkfifo .git/index
### contained
git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m second && mkdir -p .git/objects/info .git/objects/pack && mkfifo .git/objects/info/alternates
### contained
git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m second && mkfifo .git/objects/pack/pack-1111111111111111111111111111111111111111.idx; touch .git/objects/pack/pack-1111111111111111111111111111111111111111.pack
