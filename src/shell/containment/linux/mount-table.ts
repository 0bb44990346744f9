import path from "node:path";
import { mountEntries, type MountEntry } from "./kernel-tables.js";

/** Where the supervisor assembles the new root, below the base folder. */
const NEW_ROOT = "new";

/** One mount of the new root. */
export interface Mount {
    /** Its absolute path in the new root. */
    readonly path: string;
    readonly type: "overlay" | "tmpfs" | "devpts" | "proc" | "bind";
    /** What a bind mount shows: absolute, or below the base folder. */
    readonly source?: string;
    readonly options: string;
}

/**
 * A read-only view. Two layers make it an overlay without a writable one: in an overlay a socket
 * refuses connections and a named pipe has no other end, unlike in a bind mount.
 */
export function readOnly(path: string, lower: string, upper: string): Mount {
    return { path, type: "overlay", options: `lowerdir=${upper}:${lower},${OVERLAY}` };
}

/** Layers are named relative to the base folder and without commas or colons, which need no escaping. */
export function copyOnWrite(path: string, layers: readonly string[], writable: string): Mount {
    const options = `lowerdir=${layers.join(":")},upperdir=${writable}/upper,workdir=${writable}/work,${OVERLAY}`;
    return { path, type: "overlay", options };
}

const OVERLAY = "userxattr,nosuid,nodev";

export function privateMemory(path: string, options: string): Mount {
    return { path, type: "tmpfs", options: `${options},nosuid,nodev,X-mount.mkdir` };
}

/** A folder of North's. Without flags: those of its own mount may be locked. */
export function shared(path: string, source: string): Mount {
    return { path, type: "bind", source, options: "bind" };
}

/** An empty file in its place. */
export function closed(path: string): Mount {
    return { ...device("null"), path };
}

/** Read-only, or root could change the mode of the machine's own; the flags may be locked. */
export function device(name: string): Mount {
    const path = `/dev/${name}`;
    return { path, type: "bind", source: path, options: "bind,ro,nosuid,noexec" };
}

/** The lines of an fstab(5), parents first. */
export function mountTable(mounts: readonly Mount[]): string {
    return mounts
        .map(({ path: location, type, options, source }, index) => {
            const from = type === "bind" ? (source ?? "") : sourceName(index);
            const kind = type === "bind" ? "none" : type;
            const target = path.join(NEW_ROOT, location);
            return [escaped(from), escaped(target), kind, options, "0 0\n"].join(" ");
        })
        .join("");
}

/** Its own for each, by which `differenceOf` knows it. */
function sourceName(index: number): string {
    return `north-${index}`;
}

/**
 * Compares what is mounted with the table. Returns what is missing or must not be there; `undefined`
 * if nothing is.
 */
export function differenceOf(mounts: readonly Mount[], mountinfo: string): string | undefined {
    const mounted = mountEntries(mountinfo);
    const isWanted = ({ path: location, type, source, root }: MountEntry) =>
        mounts.some((mount, index) => {
            if (mount.path !== location) return false;
            if (mount.type !== "bind") return mount.type === type && source === sourceName(index);
            return `/${root}`.endsWith(`/${path.basename(mount.source ?? "")}`);
        });
    const missing = mounts.find(
        ({ path: location }) => !mounted.some((each) => each.path === location)
    );
    if (missing) return `${missing.path} is not mounted`;
    const foreign = mounted.find((each) => !isWanted(each));
    if (foreign) return `${foreign.path} must not be mounted`;
    return mounted.length === mounts.length ? undefined : "something is mounted twice";
}

/** Octal escapes for blanks and backslashes, as fstab requires. */
function escaped(path: string): string {
    return path.replace(
        /[ \t\n\r\\#]/g,
        (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`
    );
}
