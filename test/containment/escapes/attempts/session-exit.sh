# A command that ends its shell in odd ways reports nothing forged.
# Source: third review, held
# Escape: a process goes on, or a file outside differs
trap '' EXIT TERM INT HUP; exec -c bash -c 'kill -9 $PPID; exit 300'
### contained
trap 'exec sleep 0.1' EXIT; set -e; false
### real
touch "$PROJECT/x" && rm "$PROJECT/x"
