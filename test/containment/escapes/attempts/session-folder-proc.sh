# A final folder by way of /proc does not start the next command elsewhere.
# Source: third review, finding 1
# Escape: a secret is printed
trap 'printf "/proc/self/cwd\0" >/run/north/left' EXIT
### contained
pwd; cat lower/.env ../../../.ssh/id_rsa
