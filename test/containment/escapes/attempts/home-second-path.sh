# HOME cannot be read by a second path.
# Source: third review, finding 9
# Escape: the key, a conversation or the project's secret is printed
cat "$SECOND/.ssh/id_rsa" "$SECOND/.north/conversations/1.jsonl" "$SECOND/code/project/.env" "$SECOND/code/neighbour/private.txt"
