# A .git file does not uncover North's folders.
# Source: third review, finding 6
# Escape: a conversation is printed
### outside
rm -rf .git && echo "gitdir: $HOME/.north" >.git
### contained
cat ~/.north/conversations/1.jsonl; echo x >~/.north/conversations/1.jsonl
