import { constants, type Stats } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { NorthError } from "../base/north-error.js";
import { sha256 } from "../base/sha256.js";
import { isInside } from "../base/paths.js";
import { outside, resolveInside } from "./safe-path.js";
import { errorCode } from "../base/system-error.js";
import type { FileContent } from "../plugin/workspace.js";

/** A file open for reading; the caller closes `handle`. */
export interface OpenFile {
    readonly handle: FileHandle;
    /** Relative to the root, with `/`. */
    readonly path: string;
    /** The real path, links resolved. */
    readonly absolute: string;
    readonly stats: Stats;
}

/** Max attempts: an editor may replace the file between check and open. */
const ATTEMPTS = 3;

// O_NONBLOCK: never block on a FIFO swapped in for the file. O_NOFOLLOW: the path is already real,
// so a link at its end was swapped in after the check. O_NOCTTY: never acquire a controlling
// terminal.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/**
 * Opens a regular file inside the root, and nothing else. Resolves the path again after opening, to
 * detect a link swapped in meanwhile. Rejects with `outside-repository`, `not-found`, `not-a-file`
 * or `not-readable`.
 */
export async function openRegularFile(root: string, path: string): Promise<OpenFile> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const opened = await tryOpen(root, path);
        if (opened !== undefined) return opened;
    }
    throw new NorthError("not-readable", `${path} keeps changing while it is opened.`, [
        "Try again when nothing else writes to it.",
    ]);
}

/** Returns `undefined` if the path changed between check and open. */
async function tryOpen(root: string, path: string): Promise<OpenFile | undefined> {
    const { path: inside, absolute, exists } = await resolveInside(root, path);
    if (!exists) throw new NorthError("not-found", `There is no file ${inside}.`);
    // Check first: opening a device can have side effects.
    requireRegular(inside, await lstat(absolute).catch(() => undefined));
    const handle = await openUnlessMoved(inside, absolute);
    if (handle === undefined) return undefined;
    let keep = false;
    try {
        const stats = await handle.stat();
        requireRegular(inside, stats);
        keep = await isStillThere(root, absolute, handle, stats);
        return keep ? { handle, path: inside, absolute, stats } : undefined;
    } finally {
        if (!keep) await handle.close();
    }
}

async function openUnlessMoved(path: string, absolute: string): Promise<FileHandle | undefined> {
    try {
        return await open(absolute, FLAGS);
    } catch (error) {
        switch (errorCode(error)) {
            case "ENOENT":
            case "ENOTDIR":
            case "ELOOP":
            case "ENXIO":
                return undefined;
            case "EACCES":
            case "EPERM":
                throw new NorthError("not-readable", `No permission to read ${path}.`, [
                    "Check its permissions.",
                ]);
            default:
                throw error;
        }
    }
}

async function isStillThere(
    root: string,
    absolute: string,
    handle: FileHandle,
    stats: Stats
): Promise<boolean> {
    const opened = await pathOfDescriptor(handle.fd);
    if (opened !== undefined) {
        if (opened === absolute) return true;
        // Renamed or replaced: try again. Outside the root: stop.
        if (!isInside(root, opened)) throw outside(opened);
        return false;
    }
    const [real, now] = await Promise.all([
        realpath(absolute).catch(() => undefined),
        lstat(absolute).catch(() => undefined),
    ]);
    return real === absolute && now?.dev === stats.dev && now.ino === stats.ino;
}

/** Linux knows the path of an open file; macOS does not. */
async function pathOfDescriptor(descriptor: number): Promise<string | undefined> {
    return process.platform === "linux"
        ? readlink(`/proc/self/fd/${descriptor}`).catch(() => undefined)
        : undefined;
}

function requireRegular(path: string, stats: Stats | undefined): void {
    if (stats === undefined || stats.isFile()) return;
    throw new NorthError("not-a-file", `${path || "."} is ${kindOf(stats)}, not a file.`);
}

function kindOf(stats: Stats): string {
    if (stats.isDirectory()) return "a folder";
    if (stats.isFIFO()) return "a named pipe";
    if (stats.isSocket()) return "a socket";
    return stats.isSymbolicLink() ? "a link" : "a device";
}

const MEGABYTE = 1024 * 1024;
const DEFAULT_MAX_BYTES = 10 * MEGABYTE;
const PERMISSION_BITS = 0o7777;

/**
 * Reads a whole open file. Rejects with `too-large`, also if it grows beyond the limit meanwhile.
 */
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
