# A forged final folder does not start the next command in the supervisor's folder.
# Source: third review, finding 1
# Escape: the payload is in HOME's profile, or a secret is printed
trap 'printf ".\0" >/run/north/left' EXIT
### contained
cat lower/.env ../../../.ssh/id_rsa
for ((run = 1; run < 40; run++)); do
    mkdir -p "writable/$run/exchange" && ln -s ~/.bashrc "writable/$run/exchange/command"
    ln -s "$PLACE/home/.bashrc" "writable/$run/exchange/state"
done 2>/dev/null
### contained
payload
### contained
payload
