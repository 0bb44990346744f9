import { lstatSync, readFileSync } from "node:fs";

/**
 * More mounts would slow down every command; the rest are covered with the folders they usually lie
 * in.
 */
const MAX_SOCKETS = 64;

/** Where file systems are mounted, see proc_pid_mountinfo(5). */
export function mountPoints(): readonly string[] {
    return readFileSync("/proc/self/mountinfo", "utf8")
        .split("\n")
        .flatMap((line) => line.split(" ")[4] ?? [])
        .map(unescaped);
}

function unescaped(place: string): string {
    return place.replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8))
    );
}

/**
 * Paths of listening Unix sockets. A read-only file system does not keep a command from connecting,
 * and a network namespace only blocks abstract sockets.
 */
export function socketPaths(): readonly string[] {
    let table: string;
    try {
        table = readFileSync("/proc/net/unix", "utf8");
    } catch {
        return [];
    }
    const places = table.split("\n").flatMap((line) => / (\/.*)$/.exec(line)?.[1] ?? []);
    return [...new Set(places)].filter(isSocket).slice(0, MAX_SOCKETS);
}

function isSocket(place: string): boolean {
    try {
        return lstatSync(place).isSocket();
    } catch {
        return false;
    }
}
