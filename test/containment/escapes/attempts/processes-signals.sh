# Signals do not end the first process, whatever their number.
# Source: third review, held
# Escape: the run ends without an answer
for signal in {1..64}; do kill -"$signal" 1; done; python3 -c 'import os, signal; os.kill(1, signal.SIGKILL)'; echo alive
