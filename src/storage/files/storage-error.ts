import { errorCode } from "../../base/system-error.js";
import { NorthError } from "../../base/north-error.js";

/** Told of damage that was survived; one sentence, shown to the user once. */
export type Report = (warning: string) => void;

// A quota and a file size limit feel like a full disk to the person in front of it.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const NOT_WRITABLE = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "ELOOP"]);

/** An expected error where the disk is full or the place is read-only, else the error itself. */
export function asWriteError(error: unknown, file: string, notWritable = "not-writable"): unknown {
    const code = errorCode(error);
    if (code === undefined) return error;
    if (FULL.has(code)) {
        return new NorthError(
            "disk-full",
            `The disk is full: ${file} could not be written.`,
            ["Free some space and try again."],
            { cause: error }
        );
    }
    // That a folder is missing, where missing ones are made, is one that cannot be made.
    if (NOT_WRITABLE.has(code) || code === "ENOENT") {
        return new NorthError(
            notWritable,
            `North cannot write ${file} (${code}).`,
            [
                "Check the permissions of that folder.",
                "NORTH_DATA_DIR, NORTH_CONFIG_DIR and NORTH_STATE_DIR move North's own folders.",
            ],
            { cause: error }
        );
    }
    return error;
}

/** What to throw in place of an error that came up while `file` was read. */
export function asReadError(error: unknown, file: string): unknown {
    const code = errorCode(error);
    if (code === undefined || !NOT_WRITABLE.has(code)) return error;
    return new NorthError(
        "not-readable",
        `North cannot read ${file} (${code}).`,
        ["Check that it is a file and who owns it."],
        { cause: error }
    );
}
