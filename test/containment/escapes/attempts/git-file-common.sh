# A .git file with a foreign commondir does not uncover HOME.
# Source: third review, finding 6
# Escape: the key is printed
### outside
rm -rf .git && echo 'gitdir: ./meta' >.git && mkdir meta && echo ../../../ >meta/commondir && echo 'ref: refs/heads/main' >meta/HEAD
### contained
cat ~/.ssh/id_rsa ~/.north/conversations/1.jsonl "$NEIGHBOUR/private.txt"
