import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "./make-folder.js";
import { ifAbsent, isAbsent } from "../../base/system-error.js";
import { asWriteError } from "./storage-error.js";

const NEWLINE = 10;

/** Opens a private file for appending; creates its folder if missing. */
export function openAppendOnly(file: string, flags: "a" | "a+"): number {
    try {
        return openSync(file, flags, 0o600);
    } catch (error) {
        if (!isAbsent(error)) throw error;
        makeFolder(path.dirname(file));
        return openSync(file, flags, 0o600);
    }
}

/** Whether the last line lacks its newline, because of a crash or a full disk. */
export function endsInTornLine(descriptor: number): boolean {
    const { size } = fstatSync(descriptor);
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    readSync(descriptor, last, 0, 1, size - 1);
    return last[0] !== NEWLINE;
}

/** Writes in one call unless the system writes less; throws if the rest does not fit. */
export function appendBytes(descriptor: number, bytes: Buffer): void {
    let written = writeSync(descriptor, bytes);
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/** Appends a line of JSON to a private file. Throws `disk-full` or `not-writable`. */
export function appendJsonLine(file: string, value: unknown): void {
    try {
        const descriptor = openAppendOnly(file, "a+");
        try {
            const start = endsInTornLine(descriptor) ? "\n" : "";
            appendBytes(descriptor, Buffer.from(`${start}${JSON.stringify(value)}\n`));
        } finally {
            closeSync(descriptor);
        }
    } catch (error) {
        throw asWriteError(error, file);
    }
}

/** Returns the size of a file in bytes; 0 if it does not exist. */
export async function sizeOf(file: string): Promise<number> {
    return (await ifAbsent(stat(file), { size: 0 })).size;
}
