# A project beside this one cannot be read.
# Source: the first attacks
# Escape: a line of the neighbour is printed
cat "$NEIGHBOUR/private.txt" ../neighbour/private.txt; ls "$NEIGHBOUR" ..
