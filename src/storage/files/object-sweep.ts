import { createReadStream } from "node:fs";
import { readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { sweepTemporaryFiles } from "./atomic-file.js";
import { withLock } from "./file-lock.js";
import { rescueFolder } from "./rescue-store.js";
import { ifAbsent } from "../../base/system-error.js";
import { readOr } from "./storage-error.js";

/** Grace period: objects are stored before a log refers to them, normally within far less. */
const GRACE_MS = 60 * 60 * 1000;

const HASH = /[0-9a-f]{64}/g;
const RENAMED_SUFFIX = ".leaving";

/**
 * Removes objects that no log in `DATA/conversations` and no rescue refers to. Objects from the
 * last hour are kept: another North may be about to refer to them. Returns how many were removed.
 */
export async function removeUnnamedObjects(dataFolder: string, now = Date.now()): Promise<number> {
    const folder = path.join(dataFolder, "objects");
    return withLock(folder, async () => {
        const objects = await objectFiles(folder);
        if (objects.length === 0) return 0;
        const named = new Set<string>();
        await addNamedHashes(path.join(dataFolder, "conversations"), ".jsonl", named);
        await addNamedHashes(rescueFolder(dataFolder), ".json", named);
        let removed = 0;
        for (const { file, hash } of objects) {
            if (named.has(hash)) await restoreObject(file);
            else if (await ifAbsent(removeIfOld(file, now - GRACE_MS), false)) removed += 1;
        }
        await sweepTemporaryFiles(folder);
        return removed;
    });
}

async function objectFiles(folder: string): Promise<{ file: string; hash: string }[]> {
    const files: { file: string; hash: string }[] = [];
    for (const start of await readOr(readdir(folder), folder, [])) {
        if (!/^[0-9a-f]{2}$/.test(start)) continue;
        const inner = path.join(folder, start);
        for (const rest of await readOr(readdir(inner), inner, [])) {
            // Left by a killed sweep; check it again.
            const hash = start + rest.replace(RENAMED_SUFFIX, "");
            if (hash.length === 64) files.push({ file: path.join(inner, rest), hash });
        }
    }
    return files;
}

/** Collects what looks like a hash, even in damaged lines: keeping too much is harmless. */
async function addNamedHashes(folder: string, ending: string, named: Set<string>): Promise<void> {
    for (const name of await readOr(readdir(folder), folder, [])) {
        if (!name.endsWith(ending)) continue;
        const file = path.join(folder, name);
        // Absent: another process has just deleted it.
        await readOr(addHashes(file, named), file, undefined);
    }
}

async function addHashes(file: string, named: Set<string>): Promise<void> {
    let rest = "";
    for await (const chunk of createReadStream(file, "latin1")) {
        const text = rest + String(chunk);
        for (const [hash] of text.matchAll(HASH)) named.add(hash);
        // A hash may span two chunks.
        rest = text.slice(-63);
    }
}

/** Rename first: a concurrent writer either refreshed the mtime or will write the object again. */
async function removeIfOld(file: string, before: number): Promise<boolean> {
    const isOld = async (path: string) => (await stat(path)).mtimeMs < before;
    const leaving = file.endsWith(RENAMED_SUFFIX) ? file : file + RENAMED_SUFFIX;
    if (!(await isOld(file))) return false;
    await rename(file, leaving);
    if (await isOld(leaving)) {
        await unlink(leaving);
        return true;
    }
    await rename(leaving, file);
    return false;
}

/** Restores an object a killed sweep had renamed, if it is referenced after all. */
async function restoreObject(file: string): Promise<void> {
    if (file.endsWith(RENAMED_SUFFIX)) await rename(file, file.slice(0, -RENAMED_SUFFIX.length));
}
