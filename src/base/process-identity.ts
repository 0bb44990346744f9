import { readFile } from "node:fs/promises";
import { errorCode } from "./system-error.js";

/** Whether a process with this id runs on this machine. */
export function isProcessAlive(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return errorCode(error) === "EPERM";
    }
}

/**
 * When a process started, as text that only serves to be compared: ids are used again, after a
 * restart of the machine soon, but not with the same start. `undefined` where it cannot be told.
 */
export async function processStart(pid: number): Promise<string | undefined> {
    try {
        if (process.platform === "linux") {
            const status = await readFile(`/proc/${pid}/stat`, "utf8");
            // The second field is the program's name in parentheses and may hold spaces; the start
            // is the 22nd field, the 20th after it.
            return status
                .slice(status.lastIndexOf(")") + 2)
                .split(" ")
                .at(19);
        }
        const { execFile } = await import("node:child_process");
        const { promisify } = await import("node:util");
        const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], {
            timeout: 2000,
        });
        return stdout.trim() || undefined;
    } catch {
        return undefined;
    }
}
