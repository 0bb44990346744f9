# A link in a linked clone's folder of programs shows nothing that it leads to.
# Source: attack on the rebuilt containment
# Escape: a file of the neighbour is printed
### outside
mkdir -p "$HOME/code/other/bin"; echo '#!/bin/sh' >"$HOME/code/other/bin/it"; ln -sf "$HOME/code/other/bin/it" "$HOME/.local/bin/it"; ln -s ../../neighbour "$HOME/code/other/bin/docs"; printf '#!%s/private.txt\n' "$NEIGHBOUR" >"$HOME/code/other/bin/two"
### contained
cat "$NEIGHBOUR/private.txt"; cat ~/code/other/bin/docs/private.txt
