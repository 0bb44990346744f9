import { NorthError } from "../base/north-error.js";
import { sha256 } from "../base/sha256.js";
import type { FileContent } from "../plugin/workspace.js";
import { resolveInside } from "./safe-path.js";
import { type FileFacts, filesOnDisk, type FileTree, type ReadHandle } from "./tree/file-tree.js";

/** A file open for reading; the caller closes `handle`. */
export interface OpenFile {
    readonly handle: ReadHandle;
    /** Relative to the root, with `/`. */
    readonly path: string;
    /** The real path, links resolved. */
    readonly absolute: string;
    readonly stats: FileFacts;
}

/** Max attempts: an editor may replace the file between check and open. */
const ATTEMPTS = 3;

/**
 * Opens a regular file inside the root, and nothing else. Resolves the path again after opening, to
 * detect a link swapped in meanwhile. Rejects with `outside-repository`, `not-found`, `not-a-file`
 * or `not-readable`.
 */
export async function openRegularFile(
    root: string,
    path: string,
    files = filesOnDisk
): Promise<OpenFile> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const opened = await tryOpen(root, path, files);
        if (opened !== undefined) return opened;
    }
    throw new NorthError("not-readable", `${path} keeps changing while it is opened.`, [
        "Try again when nothing else writes to it.",
    ]);
}

/** Returns `undefined` if the path changed between check and open. */
async function tryOpen(root: string, path: string, files: FileTree): Promise<OpenFile | undefined> {
    const { path: inside, absolute, exists } = await resolveInside(root, path, files);
    if (!exists) throw new NorthError("not-found", `There is no file ${inside}.`);
    // Check first: opening a device can have side effects.
    requireRegular(inside, await files.lstat(absolute).catch(() => undefined));
    const opened = await files.open({ root, path: inside, absolute });
    if (opened === undefined) return undefined;
    if (!opened.stats.isFile()) await opened.handle.close();
    requireRegular(inside, opened.stats);
    return { ...opened, path: inside, absolute };
}

function requireRegular(path: string, stats: FileFacts | undefined): void {
    if (stats === undefined || stats.isFile()) return;
    throw new NorthError("not-a-file", `${path || "."} is ${kindOf(stats)}, not a file.`);
}

function kindOf(stats: FileFacts): string {
    if (stats.isDirectory()) return "a folder";
    if (stats.isFIFO()) return "a named pipe";
    if (stats.isSocket()) return "a socket";
    return stats.isSymbolicLink() ? "a link" : "a device";
}

const MEGABYTE = 1024 * 1024;
const DEFAULT_MAX_BYTES = 10 * MEGABYTE;
const PERMISSION_BITS = 0o7777;

/** Reads a whole open file. Rejects with `too-large`, also if it grows beyond that meanwhile. */
export async function readAll(
    { handle, path, stats }: OpenFile,
    maxBytes: number = DEFAULT_MAX_BYTES
): Promise<FileContent> {
    if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
    // One extra byte detects a file longer than its stated size.
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
    return { path, bytes, hash: sha256(bytes), mode: stats.mode & PERMISSION_BITS };
}

function tooLarge(path: string, size: number, maxBytes: number): NorthError {
    const limit = maxBytes >= MEGABYTE ? `${maxBytes / MEGABYTE} MB` : `${maxBytes} bytes`;
    return new NorthError("too-large", `${path} is ${size} bytes; the limit is ${limit}.`, [
        "Read a range of its lines, or search in it.",
    ]);
}
