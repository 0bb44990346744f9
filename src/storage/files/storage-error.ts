import { errorCode, systemErrorText } from "../../base/system-error.js";
import { NorthError } from "../../base/north-error.js";

/** Reports damage that North recovered from, in one sentence; shown to the user once. */
export type Report = (warning: string) => void;

// To the user, a quota or file size limit is a full disk.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const NOT_WRITABLE = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR", "EISDIR", "ELOOP"]);

/** Converts full-disk and read-only errors to a `NorthError`; returns other errors unchanged. */
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
    // Missing folders are created, so ENOENT means that this failed.
    if (NOT_WRITABLE.has(code) || code === "ENOENT") {
        return new NorthError(
            notWritable,
            `North cannot write ${file} (${systemErrorText(error)}).`,
            [
                "Check the permissions of that folder.",
                "NORTH_DATA_DIR, NORTH_CONFIG_DIR and NORTH_STATE_DIR move North's own folders.",
            ],
            { cause: error }
        );
    }
    return error;
}

/** Returns the error to throw when reading `file` failed. */
export function asReadError(error: unknown, file: string): unknown {
    const code = errorCode(error);
    if (code === undefined || !NOT_WRITABLE.has(code)) return error;
    return new NorthError(
        "not-readable",
        `North cannot read ${file} (${systemErrorText(error)}).`,
        ["Check what it is and who owns it."],
        { cause: error }
    );
}
