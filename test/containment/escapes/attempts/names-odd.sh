# Odd names become ordinary effects and run nothing.
# Source: third review, held
# Escape: a file appears outside
touch 'a,b' 'c:d' 'e\f' $'g\nh' 'lowerdir=x' "\$(touch $OUTSIDE/name)" '-rf' '*' $'\x1b]52;c;x\a'; mkdir 'upperdir=..,x' && touch 'upperdir=..,x/y'
