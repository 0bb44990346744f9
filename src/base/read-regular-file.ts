import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Reads the beginning of a regular file, and whether that is all of it. `undefined` for anything
 * else, such as a link, a FIFO or a device: reading those could block or leave the folder.
 */
export function readRegularFile(
    file: string | Buffer,
    maxBytes: number,
    links: "follow" | "refuse" = "refuse"
): { readonly bytes: Buffer; readonly isWhole: boolean } | undefined {
    let descriptor: number | undefined;
    try {
        const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
        const flags = O_RDONLY | O_NONBLOCK | (links === "refuse" ? O_NOFOLLOW : 0);
        descriptor = openSync(file, flags);
        const status = fstatSync(descriptor);
        if (!status.isFile()) return undefined;
        const bytes = Buffer.alloc(Math.min(status.size, maxBytes));
        const length = readSync(descriptor, bytes, 0, bytes.length, 0);
        return { bytes: bytes.subarray(0, length), isWhole: status.size <= maxBytes };
    } catch {
        return undefined;
    } finally {
        if (descriptor !== undefined) closeSync(descriptor);
    }
}

/** Reads a whole short file as text; `undefined` if it is longer, or not a regular file. */
export function readShortFile(file: string | Buffer, maxBytes = 4096): string | undefined {
    const read = readRegularFile(file, maxBytes);
    return read?.isWhole ? read.bytes.toString("utf8") : undefined;
}
