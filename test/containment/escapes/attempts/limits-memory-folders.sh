# What is written to folders in memory counts towards the limit.
# Source: third review, finding 25
# Escape: more than the limit is held
# Forbidden: ^held
# Limits: writtenMb=50
for folder in /dev/shm /run; do for i in $(seq 10); do head -c 10M /dev/zero >"$folder/large$i"; done; done; sleep 10
[[ $(cat /dev/shm/large* /run/large* | wc -c) -gt 100000000 ]] && echo held; true
