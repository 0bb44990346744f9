import {
    closeSync,
    constants,
    fstatSync,
    lstatSync,
    openSync,
    readFileSync,
    type Stats,
} from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import type { FileType } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { errorCode } from "../../base/system-error.js";

interface CheckedVersion {
    /** SHA-256 in hex. */
    readonly hash: string;
    readonly stats: Stats;
}

// O_NONBLOCK: never block on a FIFO swapped in for the file.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const SMALL = 256 * 1024;

/** `null` if absent. Rejects with `not-a-file` if not of `type`. `shown` is the path for errors. */
export async function readVersion(
    path: string,
    shown: string,
    type: FileType = "file"
): Promise<CheckedVersion | null> {
    try {
        // Check first: opening a device can have side effects.
        const found = await lstat(path);
        if (type !== "file") return await otherVersion(path, shown, type, found);
        requireRegular(found, shown);
        if (found.size <= SMALL) return readSmall(path, shown);
        const handle = await open(path, FLAGS);
        try {
            const stats = await handle.stat();
            requireRegular(stats, shown);
            return { hash: sha256(await handle.readFile()), stats };
        } finally {
            await handle.close();
        }
    } catch (error) {
        if (errorCode(error) === "ENOENT") return null;
        throw errorCode(error) === "ELOOP" ? notAFile(shown) : error;
    }
}

/** Synchronous: a batch of files would need thousands of round trips to Node's thread pool. */
function readSmall(path: string, shown: string): CheckedVersion {
    const descriptor = openSync(path, FLAGS);
    try {
        const stats = fstatSync(descriptor);
        requireRegular(stats, shown);
        return { hash: sha256(readFileSync(descriptor)), stats };
    } finally {
        closeSync(descriptor);
    }
}

/** A link's content is its target; a folder has none. */
async function otherVersion(
    path: string,
    shown: string,
    type: Exclude<FileType, "file">,
    stats: Stats
): Promise<CheckedVersion> {
    const isOfType = type === "link" ? stats.isSymbolicLink() : stats.isDirectory();
    if (!isOfType) throw notAFile(shown);
    const content = type === "link" ? await readlink(path, "buffer") : new Uint8Array();
    return { hash: sha256(content), stats };
}

/** Returns device and inode, to tell apart files of the same name; `null` if it does not exist. */
export function identityOf(path: string): string | null {
    try {
        const { dev, ino } = lstatSync(path, { bigint: true });
        return `${dev}:${ino}`;
    } catch (error) {
        if (["ENOENT", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) return null;
        throw error;
    }
}

function requireRegular(stats: Stats, shown: string): void {
    if (!stats.isFile()) throw notAFile(shown);
}

function notAFile(shown: string): NorthError {
    return new NorthError("not-a-file", `${shown} is not a regular file; nothing was changed.`, [
        "Only regular files can be written; choose another path.",
    ]);
}
