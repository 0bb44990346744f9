# Namespaces of its own of any kind lead nowhere.
# Source: third review, held
# Escape: a trace appears, or the service gets a connection
for kind in --user --map-root-user --net --pid --ipc --uts --cgroup --time; do unshare "$kind" true; done
unshare --user --map-root-user --net bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT && cat <&3'
unshare --user --map-root-user bash -c 'echo x >/etc/north-was-here; hostname north-was-here'
