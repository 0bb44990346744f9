# Deleted files that are still open count towards the limit.
# Source: checks of contained commands, 6
# Escape: more than the limit is written
# Forbidden: ^written
# Limits: writtenMb=20
for i in $(seq 6); do exec {file}>large; rm large; head -c 10M /dev/zero >&$file; done; sleep 10; echo written
