import { createHash } from "node:crypto";
import { constants, lstatSync, type Stats } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { NorthError } from "../../base/north-error.js";
import { errorCode } from "../../base/system-error.js";

/** A regular file as it is at this moment. */
export interface FileVersion {
    /** SHA-256 in hex. */
    readonly hash: string;
    readonly stats: Stats;
}

// NONBLOCK: a FIFO that was put in place of the file must not hold us up.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The version at a place, `null` where there is nothing. Rejects with `not-a-file` for whatever is
 * not a regular file. `shown` is the path to name in errors.
 */
export async function readVersion(place: string, shown: string): Promise<FileVersion | null> {
    try {
        // Looked at first because opening a device can have effects of its own.
        requireRegular(await lstat(place), shown);
        const handle = await open(place, FLAGS);
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

/** What tells one file from another under the same name; `null` where there is nothing. */
export function identityOf(place: string): string | null {
    try {
        const { dev, ino } = lstatSync(place, { bigint: true });
        return `${dev}:${ino}`;
    } catch (error) {
        if (["ENOENT", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) return null;

        throw error;
    }
}

export function sha256(bytes: Uint8Array): string {
    return createHash("sha256").update(bytes).digest("hex");
}

function requireRegular(stats: Stats, shown: string): void {
    if (!stats.isFile()) throw notAFile(shown);
}

function notAFile(shown: string): NorthError {
    return new NorthError("not-a-file", `${shown} is not a regular file; nothing was changed.`, [
        "Only regular files can be written; choose another path.",
    ]);
}
