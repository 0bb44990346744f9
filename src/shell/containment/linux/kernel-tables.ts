import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { isInside } from "../../../base/paths.js";

/** A line of proc_pid_mountinfo(5). */
export interface MountEntry {
    /** What of the file system is mounted. */
    readonly root: string;
    readonly path: string;
    readonly type: string;
    readonly source: string;
    /** Numbers of the device; the same for all mounts of one file system. */
    readonly device: string;
}

export function mountEntries(
    table = readFileSync("/proc/self/mountinfo", "utf8")
): readonly MountEntry[] {
    return table
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
            const [fields = "", kind = ""] = line.split(" - ");
            const [, , device = "", root = "", path = ""] = fields.split(" ");
            const [type = "", source = ""] = kind.split(" ");
            return { device, root: unescaped(root), path: unescaped(path), type, source };
        });
}

/** The path within its file system. */
export function locationOf(
    location: string,
    mounts: readonly MountEntry[]
): { readonly device: string; readonly inside: string } | undefined {
    const own = mounts
        .filter((mount) => isInside(mount.path, location))
        .reduce<MountEntry | undefined>(
            (best, mount) => (best && best.path.length > mount.path.length ? best : mount),
            undefined
        );
    if (own === undefined) return undefined;
    return { device: own.device, inside: path.join(own.root, path.relative(own.path, location)) };
}

function unescaped(path: string): string {
    return path.replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8))
    );
}

/** Paths of listening Unix sockets below `folder`, at most `most`. */
export function socketsBelow(folder: string, most: number): readonly string[] {
    const table = attempt(() => readFileSync("/proc/net/unix", "utf8"), "");
    const paths = table.split("\n").flatMap((line) => / (\/.*)$/.exec(line)?.[1] ?? []);
    return [...new Set(paths)]
        .filter((path) => path.startsWith(`${folder}/`) && isSocket(path))
        .slice(0, most);
}

function isSocket(path: string): boolean {
    return attempt(() => lstatSync(path).isSocket(), false);
}
