import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { SESSION_VARIABLE } from "./environment.js";
import type { SessionMark } from "./process-table.js";

/**
 * Waits for end of file on its input, which comes when North is gone, for whatever reason. The
 * session's id arrives on the input too: as an argument it would make `ps` show the watchdog as one
 * of the session's processes.
 */
const SCRIPT = `
read -r id shell terminal folder
read -r nothing
members() {
    if [ -r /proc/self/stat ]; then
        grep -lsz "^${SESSION_VARIABLE}=$id" /proc/[0-9]*/environ | cut -d/ -f3
        sed -n "s/^\\([0-9]*\\) (.*) [^Z] [0-9]* [0-9]* $shell .*/\\1/p" /proc/[0-9]*/stat
    else
        ps -A -E -ww -o pid=,tty=,command= | while read -r pid tty command; do
            case "/dev/$tty $command" in
                "$terminal "*|*"${SESSION_VARIABLE}=$id"*) echo "$pid" ;;
            esac
        done
    fi 2>/dev/null
}
signal=TERM
round=0
while [ $round -lt 10 ]; do
    found=$(members)
    [ -z "$found" ] && break
    kill -CONT $found 2>/dev/null
    kill -$signal $found 2>/dev/null
    sleep 0.3
    signal=KILL
    round=$((round + 1))
done
[ -n "$folder" ] && rm -rf "$folder"
`;

/**
 * Ends a session's processes if North dies without doing so. It starts in its own session, out of
 * reach of signals to North's group or terminal. Returns what stops it once the session has ended.
 */
export function startWatchdog(
    mark: SessionMark,
    folder: string | undefined,
    searchPath: string
): () => void {
    const dog = spawn("/bin/sh", ["-c", SCRIPT], {
        detached: true,
        cwd: "/",
        stdio: ["pipe", "ignore", "ignore"],
        env: { PATH: searchPath },
    });
    // Without a watchdog a crash may leave processes behind; that is no reason to refuse a shell.
    dog.on("error", () => {});
    // With too many open files there is none.
    const { stdin }: { readonly stdin?: Writable } = dog;
    stdin?.on("error", () => {});
    stdin?.write(`${mark.id} ${mark.shell} ${mark.terminal} ${folder ?? ""}\n`);
    dog.unref();
    return () => void dog.kill("SIGKILL");
}
