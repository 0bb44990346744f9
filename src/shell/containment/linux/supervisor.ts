/** Where stand-ins for the machine's services lead. */
export const NO_SERVICE = "/nowhere/hidden";

/** What a command's script begins with: the supervisor has something left to do. */
export const HANDSHAKE = "\\builtin echo >&8; \\builtin read -r -u 7; exec 7<&- 8>&-";

/**
 * The supervisor: PID 1 of a contained run, started in the base folder. It has all capabilities in
 * its own user namespace, assembles a root from nothing but what the command sees, lets go of the
 * machine's own, and starts the command without the capabilities. It
 * does not get the command's environment: a variable such as LD_PRELOAD must not take effect before
 * containment is in place.
 *
 * It reports to North on descriptor 3 and reads from it on 4; the command inherits neither, only 5
 * and 6 as its output. The command cannot attack the supervisor either: it lacks the right to trace it, and PID 1 ignores
 * its signals.
 *
 * Arguments: run folder, outside user and group, bash, max KiB per file, max processes, max KiB per
 * process, the highest PID or nothing. Where there is Perl, `perlSupervisor` takes its place.
 */
export const SUPERVISOR = String.raw`
run=$1 user=$2 group=$3 bash=$4 blocks=$5 processes=$6 memory=$7
for each in /proc/self/fd/*; do
    each=${"$"}{each##*/}
    # Whatever North's own parent left open for it.
    ((each > 6)) && eval "exec $each>&-"
done
exec >&3 2>&3
highest=$8
fail() { printf '\0failed\0%s\0' "$1" >&3; exit 1; }

echo 1000 >/proc/self/oom_score_adj
# A namespace of its own would give the command rights over mounts there.
if [[ $user == 0 ]]; then namespaces=0; else namespaces=1; fi
echo $namespaces >/proc/sys/user/max_user_namespaces || fail 'user namespaces cannot be limited'
# Segments that nobody has attached count for no process.
echo $((memory / 4)) >/proc/sys/kernel/shmall
# Before the mounts change under it.
type -P ip >/dev/null && ip link set lo up

mount --no-canonicalize --all --fstab "$run/fstab" || fail 'what it may see could not be mounted'
services=
[[ -d $run/services ]] && services=1 && cp --archive "$run/services/." new/run
cd new && pivot_root . . && umount -l . && cd / || fail 'the old root could not be left'
# Binds root too, which ulimit does not.
[[ $highest ]] && echo "$highest" >/proc/sys/kernel/pid_max
if [[ $user == 0 ]]; then
    lower=(setpriv --bounding-set=-all --inh-caps=-all --no-new-privs)
else
    lower=(unshare --user "--map-user=$user" "--map-group=$group")
fi

printf '\0ready\0%s\0' "$(</proc/self/mountinfo)" >&3
IFS= read -r -d '' -u 4 go || exit 1
coproc RUN {
    ulimit -c 0
    ulimit -f "$blocks" -u "$processes" -d "$memory"
    exec "${"$"}{lower[@]}" "$bash" --noprofile --norc /run/north/start \
        7<&0 8>&1 </dev/null >&5 2>&6 3>&- 4>&- 5>&- 6>&-
}
child=$RUN_PID answer=${"$"}{RUN[1]}
exec 5>&- 6>&-
# It waits: its user namespace is set up through /proc, which then becomes read-only.
if read -r -u "${"$"}{RUN[0]}"; then
    mount -o remount,bind,ro /proc || fail '/proc cannot be made read-only'
    echo >&"$answer"
fi
wait "$child"
code=$?
# Until nobody is left who could write: what was changed is read next.
while kill -KILL -1; do :; done

printf '\0exited\0%s\0' "$code" >&3
for table in snmp snmp6; do
    [[ -e /proc/self/net/$table ]] || continue
    while read -r line; do printf '%s\n' "$line"; done <"/proc/self/net/$table" >&3
done
printf '\0' >&3
[[ $services ]] &&
    find /run -xdev -type l -anewer /run/north/start -lname ${NO_SERVICE} -printf '%p\n' -quit >&3
printf '\0' >&3
while IFS= read -r -d '' -u 4 place; do
    if [[ -e $place || -L $place ]]; then printf '1\0'; else printf '0\0'; fi
done >&3
`;
