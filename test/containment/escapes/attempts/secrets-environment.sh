# Tokens are in no environment, neither its own nor that of North.
# Source: the first attacks
# Escape: a token is printed
env | grep TOKEN; cat /proc/self/environ /proc/1/environ "/proc/$PARENT/environ" | tr '\0' '\n' | grep TOKEN
