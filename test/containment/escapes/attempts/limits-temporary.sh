# What is written to temporary folders counts towards the limit.
# Source: third review, finding 25
# Escape: more than the limit is written
# Forbidden: ^written
# Limits: writtenMb=20
for i in $(seq 8); do head -c 5M /dev/zero >/tmp/large$i; head -c 5M /dev/zero >/var/tmp/other$i; done; sleep 10; echo written
