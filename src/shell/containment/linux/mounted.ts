import { readFileSync } from "node:fs";

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
