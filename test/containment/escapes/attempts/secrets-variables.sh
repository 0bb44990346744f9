# No variable with a password is handed on, whatever its name.
# Source: third review, finding 15
# Escape: a password is printed
env; declare -p; python3 -c 'import os; print(os.environ)'
