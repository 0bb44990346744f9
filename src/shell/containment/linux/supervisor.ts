/**
 * The supervisor: PID 1 of a contained run, started in the base folder. It has all capabilities in
 * its own user namespace, mounts what the command sees, and starts the command without them. It
 * does not get the command's environment: a variable such as LD_PRELOAD must not take effect before
 * containment is in place.
 *
 * It reports to North on descriptor 3 and reads from it on 4; the command inherits neither. The
 * command cannot attack the supervisor either: it lacks the right to trace it, and PID 1 ignores
 * its signals.
 *
 * Arguments: run folder, outside user and group, bash, max KiB per file, max processes, max KiB per
 * process, the pipes for both outputs.
 */
export const SUPERVISOR = String.raw`
run=$1 user=$2 group=$3 bash=$4 blocks=$5 processes=$6 memory=$7
for each in /proc/self/fd/*; do
    each=${"$"}{each##*/}
    # Whatever North's own parent left open for it.
    ((each > 4)) && eval "exec $each>&-"
done
exec 5>"$8" 6>"$9" >&3 2>&3
fail() { printf '\0failed\0%s\0' "$1" >&3; exit 1; }

echo 1000 >/proc/self/oom_score_adj
# Binds root too, which ulimit does not; per namespace since Linux 6.14, refused before.
echo $((processes + 400)) >/proc/sys/kernel/pid_max
# A namespace of its own would give the command rights over mounts there.
if [[ $user == 0 ]]; then namespaces=0; else namespaces=1; fi
echo $namespaces >/proc/sys/user/max_user_namespaces || fail 'user namespaces cannot be limited'
# Segments that nobody has attached count for no process.
echo $((memory / 4)) >/proc/sys/kernel/shmall
# Before the mounts change under it.
type -P ip >/dev/null && ip link set lo up

mount --all -t noproc -o remount,bind,ro,nosuid,nodev
declare -A mounts=()
while read -r _ _ _ _ point options _; do mounts[$point]=$options; done </proc/self/mountinfo
for point in "${"$"}{!mounts[@]}"; do
    [[ $point/ == /proc/* || ,${"$"}{mounts[$point]}, != *,rw,* ]] && continue
    printf -v place '%b' "${"$"}{point//\\/\\0}"
    mount -o remount,bind,ro,nosuid "$place" || fail "$place cannot be made read-only"
done

mount --no-canonicalize --all --fstab "$run/fstab" || fail 'what it may see could not be mounted'
[[ -d $run/sockets ]] && cp --archive "$run/sockets/." /run
if [[ $user == 0 ]]; then
    mount -o remount,bind,ro /proc || fail '/proc cannot be made read-only'
    lower=(setpriv --bounding-set=-all --inh-caps=-all --no-new-privs)
else
    lower=(unshare --user "--map-user=$user" "--map-group=$group")
fi

printf '\0ready\0' >&3
IFS= read -r -d '' -u 4 go || exit 1
ulimit -c 0
ulimit -f "$blocks" -u "$processes" -d "$memory"
"${"$"}{lower[@]}" "$bash" --noprofile --norc /run/north/start \
    </dev/null >&5 2>&6 3>&- 4>&- 5>&- 6>&- &
exec 5>&- 6>&-
wait $!
code=$?
# Until nobody is left who could write: what was changed is read next.
while kill -KILL -1; do :; done

printf '\0exited\0%s\0' "$code" >&3
for table in snmp snmp6; do
    [[ -e /proc/self/net/$table ]] || continue
    while read -r line; do printf '%s\n' "$line"; done <"/proc/self/net/$table" >&3
done
printf '\0' >&3
[[ -d $run/sockets ]] && find /run -xdev -type l -anewer "$run/fstab" -printf '%p\n' -quit >&3
printf '\0' >&3
while IFS= read -r -d '' -u 4 place; do
    if [[ -e $place || -L $place ]]; then printf '1\0'; else printf '0\0'; fi
done >&3
`;
