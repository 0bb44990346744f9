import { existsSync, readFileSync } from "node:fs";
import { attempt } from "./attempt.js";
import { absoluteSearchPath } from "./search-path.js";
import { errorCode } from "./system-error.js";

export const HAS_PROC = existsSync("/proc/self/stat");

/** Whether a process with this id runs on this machine; zombies do not count. */
export function isProcessAlive(pid: number): boolean {
    try {
        process.kill(pid, 0);
    } catch (error) {
        if (errorCode(error) !== "EPERM") return false;
    }
    const [state] = processStatus(pid) ?? [];
    return state !== "Z" && state !== "X";
}

/** The fields after the name in `/proc/PID/stat`, starting with the state; see proc_pid_stat(5). */
export function processStatus(pid: number): readonly string[] | undefined {
    if (!HAS_PROC) return undefined;
    const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
    // The name is in parentheses and may contain anything.
    return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/**
 * A process's start time as comparable text: pids are reused, soon after a reboot, but not with the
 * same start time. `undefined` if the system does not report it.
 */
export async function processStart(pid: number): Promise<string | undefined> {
    if (HAS_PROC) return processStatus(pid)?.[19];
    const { execFile } = await import("node:child_process");
    const { promisify } = await import("node:util");
    const options = { timeout: 2000, env: { PATH: absoluteSearchPath() } };
    return promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], options).then(
        ({ stdout }) => stdout.trim() || undefined,
        () => undefined
    );
}
