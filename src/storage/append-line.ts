import { fstatSync, readSync, writeSync } from "node:fs";

const NEWLINE = 10;

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
