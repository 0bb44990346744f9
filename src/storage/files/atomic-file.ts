import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "./make-folder.js";
import { isProcessAlive } from "../../base/process-identity.js";
import { errorCode } from "../../base/system-error.js";
import { asWriteError } from "./storage-error.js";

export interface AtomicWriteOptions {
    /** Permission bits of the file; default 0600. */
    readonly mode?: number;
    /** Permission bits of created folders; default 0700. */
    readonly folderMode?: number;
    /** False for content that may be lost in a system crash; skips fsync. */
    readonly durable?: boolean;
    /** False if this temporary folder was swept just before. */
    readonly sweep?: boolean;
    /** Where the new content is written first, on the same disk; default: the file's folder. */
    readonly temporaryFolder?: string;
    /** Last chance to cancel: if it rejects, the file stays unchanged. */
    readonly beforeReplace?: () => Promise<void>;
}

/**
 * Replaces a file atomically: readers see the old or the new content, even after a crash. Rejects
 * with `disk-full` or `not-writable` and leaves the file unchanged.
 */
export async function writeFileAtomically(
    file: string,
    content: string | Uint8Array,
    options: AtomicWriteOptions = {}
): Promise<void> {
    const folder = path.dirname(file);
    const { temporaryFolder = folder, mode = 0o600, durable = true } = options;
    const temporary = path.join(temporaryFolder, temporaryName(file));
    try {
        const grown = makeFolder(folder, options.folderMode);
        if (options.sweep ?? true) await sweepTemporaryFiles(temporaryFolder);
        await writeFile(temporary, content, { flag: "wx", mode, flush: durable });
        await options.beforeReplace?.();
        await rename(temporary, file);
        if (durable) await syncFolders([folder, ...grown]);
    } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw asWriteError(error, file);
    }
}

/** Fsyncs a folder, so that a created or renamed entry survives a system crash. */
export async function syncFolder(folder: string): Promise<void> {
    const handle = await open(folder, "r");
    try {
        await handle.sync();
    } catch (error) {
        // Some file systems cannot sync a folder; nothing better is possible there.
        if (!["EINVAL", "ENOTSUP", "EISDIR"].includes(errorCode(error) ?? "")) throw error;
    } finally {
        await handle.close();
    }
}

/** Syncs a folder, then (best effort) the parents of newly created ones. */
export async function syncFolders([folder, ...grown]: readonly string[]): Promise<void> {
    if (folder !== undefined) await syncFolder(folder);
    for (const each of grown) await syncFolder(each).catch(() => {});
}

const TEMPORARY = /^\..+\.north-(\d+)-[0-9a-f]{12}\.tmp$/;
const LONG_AGO_MS = 24 * 60 * 60 * 1000;

function temporaryName(file: string): string {
    const unique = `north-${process.pid}-${randomBytes(6).toString("hex")}`;
    return `.${path.basename(file)}.${unique}.tmp`;
}

export async function sweepTemporaryFiles(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
        const pid = TEMPORARY.exec(name)?.[1];
        if (pid === undefined) continue;
        const file = path.join(folder, name);
        if (!isProcessAlive(Number(pid)) || (await isOld(file))) await rm(file, { force: true });
    }
}

/** Old enough that a live process with this pid must be a different one. */
async function isOld(file: string): Promise<boolean> {
    const status = await stat(file).catch(() => undefined);
    return status !== undefined && Date.now() - status.mtimeMs > LONG_AGO_MS;
}
