import {
    errorCode,
    ifAbsent,
    isAbsent,
    isSystemError,
    systemErrorText,
} from "../../base/system-error.js";
import { NorthError } from "../../base/north-error.js";

/** Reports damage that North recovered from, in one sentence; shown to the user once. */
export type Report = (warning: string) => void;

// To the user, a quota or file size limit is a full disk.
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Explains a failed system call, but for a file that exists; returns other errors unchanged. */
export function asWriteError(error: unknown, file: string, notWritable = "not-writable"): unknown {
    const code = isSystemError(error) ? errorCode(error) : undefined;
    if (code === undefined || code === "EEXIST") return error;
    if (FULL.has(code)) {
        return new NorthError(
            "disk-full",
            `The disk is full: ${file} could not be written.`,
            ["Free some space and try again."],
            { cause: error }
        );
    }
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

/** Explains why `file` could not be read; returns the error unchanged if there is none. */
export function asReadError(error: unknown, file: string): unknown {
    if (!isSystemError(error) || isAbsent(error)) return error;
    return new NorthError(
        "not-readable",
        `North cannot read ${file} (${systemErrorText(error)}).`,
        ["Check what it is and who owns it."],
        { cause: error }
    );
}

/** What reading `file` resolves to, or `absent` if there is none. Rejects with `not-readable`. */
export async function readOr<Value, Absent>(
    reading: Promise<Value>,
    file: string,
    absent: Absent
): Promise<Value | Absent> {
    return ifAbsent(reading, absent).catch((error: unknown) => {
        throw asReadError(error, file);
    });
}
