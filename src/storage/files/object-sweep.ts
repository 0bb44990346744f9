import { createReadStream } from "node:fs";
import { readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { sweepTemporaryFiles } from "./atomic-file.js";
import { withLock } from "./file-lock.js";
import { rescueFolder } from "./rescue-store.js";
import { ifAbsent, isAbsent } from "../../base/system-error.js";

/** Between being kept and being named in a log an object is this young, and far younger. */
const GRACE_MS = 60 * 60 * 1000;

const HASH = /[0-9a-f]{64}/g;
const LEAVING = ".leaving";

/**
 * Removes the objects that no log in `DATA/conversations` and no rescue names any more, but for those that were
 * put in the last hour: another North may be about to name them. Resolves with how many.
 */
export async function removeUnnamedObjects(dataFolder: string, now = Date.now()): Promise<number> {
    const folder = path.join(dataFolder, "objects");
    return withLock(folder, async () => {
        const objects = await objectFiles(folder);
        if (objects.length === 0) return 0;
        const named = new Set<string>();
        await addNamedHashes(path.join(dataFolder, "conversations"), named);
        await addNamedHashes(rescueFolder(dataFolder), named);
        let removed = 0;
        for (const { file, hash } of objects) {
            if (named.has(hash)) await bringBack(file);
            else if (await ifAbsent(removeIfOld(file, now - GRACE_MS), false)) removed += 1;
        }
        await sweepTemporaryFiles(folder);
        return removed;
    });
}

async function objectFiles(folder: string): Promise<{ file: string; hash: string }[]> {
    const files: { file: string; hash: string }[] = [];
    for (const start of await ifAbsent(readdir(folder), [])) {
        if (!/^[0-9a-f]{2}$/.test(start)) continue;
        for (const rest of await ifAbsent(readdir(path.join(folder, start)), [])) {
            // One that a killed sweep was about to remove is looked at again.
            const hash = start + rest.replace(LEAVING, "");
            if (hash.length === 64) files.push({ file: path.join(folder, start, rest), hash });
        }
    }
    return files;
}

/** Whatever looks like a hash counts, also in damaged lines: keeping too much does no harm. */
async function addNamedHashes(folder: string, named: Set<string>): Promise<void> {
    for (const name of await ifAbsent(readdir(folder), [])) {
        if (!/\.jsonl?$/.test(name)) continue;
        let rest = "";
        try {
            for await (const chunk of createReadStream(path.join(folder, name), "latin1")) {
                const text = rest + String(chunk);
                for (const [hash] of text.matchAll(HASH)) named.add(hash);
                // A hash may be cut by the end of a chunk.
                rest = text.slice(-63);
            }
        } catch (error) {
            // Deleted by another process in this moment.
            if (!isAbsent(error)) throw error;
        }
    }
}

/** Rename first: a concurrent writer has either refreshed the mtime or writes the object anew. */
async function removeIfOld(file: string, before: number): Promise<boolean> {
    const isOld = async (place: string) => (await stat(place)).mtimeMs < before;
    const leaving = file.endsWith(LEAVING) ? file : file + LEAVING;
    if (!(await isOld(file))) return false;
    await rename(file, leaving);
    if (await isOld(leaving)) {
        await unlink(leaving);
        return true;
    }
    await rename(leaving, file);
    return false;
}

/** What a sweep was killed over, and has been named since. */
async function bringBack(file: string): Promise<void> {
    if (file.endsWith(LEAVING)) await rename(file, file.slice(0, -LEAVING.length));
}
