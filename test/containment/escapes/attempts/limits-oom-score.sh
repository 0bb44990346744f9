# A command cannot make the kernel kill others first.
# Source: third review, finding 25
# Escape: its score is lower than at the start
# Forbidden: ^-?\d{1,2}$
for score in 0 -1000 1; do echo "$score" >/proc/self/oom_score_adj; done; cat /proc/self/oom_score_adj
