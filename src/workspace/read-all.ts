import { createHash } from "node:crypto";
import type { FileContent } from "../plugin/workspace.js";
import { NorthError } from "../base/north-error.js";
import type { OpenFile } from "./open-file.js";

const MEGABYTE = 1024 * 1024;
const DEFAULT_MAX_BYTES = 10 * MEGABYTE;
const PERMISSION_BITS = 0o7777;

/** The whole content of an open file. Rejects with `too-large`, also when it grows meanwhile. */
export async function readAll(
    { handle, path, stats }: OpenFile,
    maxBytes: number = DEFAULT_MAX_BYTES
): Promise<FileContent> {
    if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
    // One byte more than expected shows a file that is longer than its size says.
    let buffer = Buffer.alloc(Math.min(stats.size, maxBytes) + 1);
    let length = 0;
    for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
        length += bytesRead;
        if (length > maxBytes) throw tooLarge(path, length, maxBytes);
        if (bytesRead === 0) break;
        if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
    }
    const bytes = buffer.subarray(0, length);
    const hash = createHash("sha256").update(bytes).digest("hex");
    return { path, bytes, hash, mode: stats.mode & PERMISSION_BITS };
}

function tooLarge(path: string, size: number, maxBytes: number): NorthError {
    const limit = maxBytes >= MEGABYTE ? `${maxBytes / MEGABYTE} MB` : `${maxBytes} bytes`;
    return new NorthError("too-large", `${path} has ${size} bytes, more than ${limit}.`, [
        "Read a range of its lines, or search in it.",
    ]);
}
