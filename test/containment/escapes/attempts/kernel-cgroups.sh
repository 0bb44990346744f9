# Control groups of the machine cannot be changed or escaped through.
# Source: third review, held
# Escape: a trace appears
mkdir /sys/fs/cgroup/north-was-here; echo $$ >/sys/fs/cgroup/cgroup.procs; echo "$PROJECT/x" >/sys/fs/cgroup/release_agent
unshare --user --map-root-user --mount --cgroup bash -c 'mount -t cgroup2 none /tmp && mkdir /tmp/north-was-here'
