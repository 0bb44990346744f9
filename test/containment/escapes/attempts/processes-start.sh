# The start of a command leaves it no descriptor and no right that it lacks later.
# Source: attack on the rebuilt containment
# Escape: one is there
# Forbidden: (?:^Cap(?:Prm|Eff|Inh|Amb|Bnd):\s+0*[1-9a-f]|written|^fd [3-9])
[ "$(id -u)" = 0 ] && grep Cap /proc/self/status
for fd in /proc/$$/fd/*; do n=${fd##*/}; case $n in 0|1|2|255) ;; *) [ -e "$fd" ] && echo "fd $n $(readlink "$fd")";; esac; done
(echo 1 >/proc/sys/kernel/pid_max) 2>/dev/null && echo written; (echo 5 >/proc/sys/user/max_user_namespaces) 2>/dev/null && echo written
(echo 0 >/proc/1/oom_score_adj) 2>/dev/null && echo written; unshare --user --map-root-user mount -o remount,rw /proc 2>/dev/null && echo written
