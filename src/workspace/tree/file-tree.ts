import {
    constants,
    type Dirent,
    existsSync,
    lstatSync,
    readdirSync,
    statSync,
    type Stats,
} from "node:fs";
import { lstat, open, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { NorthError } from "../../base/north-error.js";
import { isInside } from "../../base/paths.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { errorCode } from "../../base/system-error.js";
import { outside } from "./outside.js";

export type FileFacts = Pick<
    Stats,
    | ("isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket")
    | ("size" | "mode" | "mtimeMs" | "ctimeMs" | "ino")
>;

export type FolderName = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

export type ReadHandle = Pick<FileHandle, "fd" | "close"> & {
    read(
        buffer: Buffer,
        offset: number,
        length: number,
        position: number
    ): Promise<{ readonly bytesRead: number }>;
};

/** Where a file is, as for messages and as for the system. */
interface ResolvedFile {
    readonly root: string;
    /** Relative to the root. */
    readonly path: string;
    /** A real path. */
    readonly absolute: string;
}

/**
 * The files that a workspace sees: those on disk, or a view of them. Paths are absolute; functions
 * with the name of one of Node's do what that does, and fail with the same codes.
 */
export interface FileTree {
    realpath(path: string): Promise<string>;
    lstat(path: string): Promise<FileFacts>;
    readlink(path: string): Promise<string>;
    readdir(path: string): Promise<readonly string[]>;
    /** `undefined` if it changed on the way. Rejects with `outside-repository`, `not-readable`. */
    open(file: ResolvedFile): Promise<{ handle: ReadHandle; stats: FileFacts } | undefined>;
    /** `undefined` if there is nothing. */
    lstatSync(path: string): FileFacts | undefined;
    /** Follows links; `undefined` if there is nothing. */
    statSync(path: string): FileFacts | undefined;
    readdirSync(path: string): readonly FolderName[];
    existsSync(path: string): boolean;
    readRegularFile: typeof readRegularFile;
    /** The files whose content is not on disk. */
    filesBeside(): readonly string[];
    /** The content of such a file; `undefined` of any other. */
    contentBeside(path: string): Promise<Uint8Array> | undefined;
}

// O_NONBLOCK: never block on a FIFO swapped in for the file. O_NOFOLLOW: the path is already real,
// so a link at its end was swapped in after the check. O_NOCTTY: never acquire a controlling
// terminal.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

export const filesOnDisk: FileTree = {
    realpath: (path) => realpath(path),
    lstat: (path) => lstat(path),
    readlink: (path) => readlink(path),
    readdir: (path) => readdir(path),
    lstatSync: (path) => lstatSync(path, { throwIfNoEntry: false }),
    statSync: (path) => statSync(path, { throwIfNoEntry: false }),
    readdirSync: (path) => readdirSync(path, { withFileTypes: true }),
    ...{ existsSync, readRegularFile },
    filesBeside: () => [],
    contentBeside: () => undefined,
    async open(file) {
        const handle = await openUnlessMoved(file);
        if (handle === undefined) return undefined;
        let keep = false;
        try {
            const stats = await handle.stat();
            keep = !stats.isFile() || (await isStillThere(file, handle, stats));
            return keep ? { handle, stats } : undefined;
        } finally {
            if (!keep) await handle.close();
        }
    },
};

async function openUnlessMoved({ path, absolute }: ResolvedFile): Promise<FileHandle | undefined> {
    try {
        return await open(absolute, FLAGS);
    } catch (error) {
        const code = errorCode(error) ?? "";
        if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(code)) return undefined;
        if (code !== "EACCES" && code !== "EPERM") throw error;
        throw new NorthError("not-readable", `No permission to read ${path}.`, [
            "Check its permissions.",
        ]);
    }
}

async function isStillThere(
    { root, absolute }: ResolvedFile,
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
