# No rename moves a file into or out of the project for real.
# Source: third review, held
# Escape: a file outside differs
mv a.txt "$OUTSIDE/north-was-here"; mv "$OUTSIDE/file.txt" .; mv src "$OUTSIDE/"; perl -e 'rename "a.txt", "$ENV{OUTSIDE}/file.txt"; link "a.txt", "$ENV{OUTSIDE}/link"; symlink "a.txt", "$ENV{OUTSIDE}/link2"'
