import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "./make-folder.js";
import { isProcessAlive } from "../../base/process-identity.js";
import { errorCode } from "../../base/system-error.js";
import { asWriteError } from "./storage-error.js";

export interface AtomicWriteOptions {
    /** Permission bits of the file; 0600 unless told otherwise. */
    readonly mode?: number;
    /** Permission bits of folders that have to be created; 0700 unless told otherwise. */
    readonly folderMode?: number;
    /** False for what can be done without after a crash of the machine; saves waiting for the disk. */
    readonly durable?: boolean;
    /** False where another file was written to the same temporary folder just now. */
    readonly sweep?: boolean;
    /** Where the new content is until it takes its place, on the same disk; beside the file if absent. */
    readonly temporaryFolder?: string;
    /** The last moment to refuse: what it rejects with leaves the file as it was. */
    readonly beforeReplace?: () => Promise<void>;
}

/**
 * Replaces a file as a whole: readers and a crash at any moment see the old content or the new.
 * Rejects with `disk-full` or `not-writable`, and then the file is as it was.
 */
export async function writeFileAtomically(
    file: string,
    content: string | Uint8Array,
    options: AtomicWriteOptions = {}
): Promise<void> {
    const folder = path.dirname(file);
    const { temporaryFolder = folder } = options;
    const temporary = path.join(temporaryFolder, temporaryName(file));
    try {
        const grown = makeFolder(folder, options.folderMode);
        if (options.sweep ?? true) await sweepTemporaryFiles(temporaryFolder);
        await writeNew(temporary, content, options);
        await options.beforeReplace?.();
        await rename(temporary, file);
        if (options.durable ?? true) await syncFolders([folder, ...grown]);
    } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw asWriteError(error, file);
    }
}

async function writeNew(
    file: string,
    content: string | Uint8Array,
    { mode = 0o600, durable = true }: AtomicWriteOptions
): Promise<void> {
    const handle = await open(file, "wx", mode);
    try {
        await handle.writeFile(content);
        if (durable) await handle.sync();
    } finally {
        await handle.close();
    }
}

/** Makes a new or renamed entry of a folder survive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
    const handle = await open(folder, "r");
    try {
        await handle.sync();
    } catch (error) {
        // Some file systems cannot sync a folder; there is nothing better to do on them.
        if (!["EINVAL", "ENOTSUP", "EISDIR"].includes(errorCode(error) ?? "")) throw error;
    } finally {
        await handle.close();
    }
}

/** Syncs a folder, and those above it that have got a new one, where that is allowed. */
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

/** Removes the temporary files that killed processes have left in a folder. */
export async function sweepTemporaryFiles(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
        const pid = TEMPORARY.exec(name)?.[1];
        if (pid === undefined) continue;
        const file = path.join(folder, name);
        if (!isProcessAlive(Number(pid)) || (await isOld(file))) await rm(file, { force: true });
    }
}

/** A living process of that id is another one by then. */
async function isOld(file: string): Promise<boolean> {
    const status = await stat(file).catch(() => undefined);
    return status !== undefined && Date.now() - status.mtimeMs > LONG_AGO_MS;
}
