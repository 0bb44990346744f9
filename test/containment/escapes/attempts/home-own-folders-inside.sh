# North's folders inside the project are hidden from commands too.
# Source: third review, finding 30
# Escape: a conversation is printed
# Data: PROJECT/.own
### outside
mkdir -p .own/conversations && echo hunter2-inside >.own/conversations/1.jsonl
### contained
cat .own/conversations/1.jsonl; tar cf - .own | strings; cp -r .own /tmp/own; cat /tmp/own/conversations/1.jsonl
