import { readFileSync } from "node:fs";
import os from "node:os";

/** For the supervisor and what the kernel counts besides. */
const SPARE = 400;

/**
 * The highest PID for a run, which bounds root as well; `undefined` where it must not be set. Before
 * Linux 6.14 the number is the machine's, and root in a namespace may write it.
 */
export function highestPid(
    processes: number,
    { release, user } = { release: os.release(), user: process.getuid?.() }
): number | undefined {
    const [major = 0, minor = 0] = release.split(".").map(Number);
    const isOwn = major > 6 || (major === 6 && minor >= 14);
    return isOwn && user === 0 ? processes + SPARE : undefined;
}

export function machinesHighestPid(): string {
    return readFileSync("/proc/sys/kernel/pid_max", "utf8");
}
