# Start-up scripts and headers with tokens are hidden.
# Source: third review, finding 14
# Escape: a token is printed
cat ~/.gradle/init.d/own.gradle ~/.config/git/config; git config --list --show-origin
