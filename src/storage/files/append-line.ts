import { fstatSync, openSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "./make-folder.js";
import { isAbsent } from "../../base/system-error.js";

const NEWLINE = 10;

/** Opens a private file for appending, and makes its folder where that is missing. */
export function openAppendOnly(file: string, flags: "a" | "a+"): number {
    try {
        return openSync(file, flags, 0o600);
    } catch (error) {
        if (!isAbsent(error)) throw error;
        makeFolder(path.dirname(file));
        return openSync(file, flags, 0o600);
    }
}

/** Whether the file ends in a line that was never finished, by a crash or a full disk. */
export function endsInTornLine(descriptor: number): boolean {
    const { size } = fstatSync(descriptor);
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    readSync(descriptor, last, 0, 1, size - 1);
    return last[0] !== NEWLINE;
}

/**
 * Writes all bytes to a descriptor opened for appending, in a single call unless the system writes
 * less than it was asked to. Throws when the rest does not fit either.
 */
export function appendBytes(descriptor: number, bytes: Buffer): void {
    let written = writeSync(descriptor, bytes);
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}
