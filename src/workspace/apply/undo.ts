import { chmod, link, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isSwap } from "../../plugin/change-set.js";
import { isMoved } from "./commit.js";
import { OpenFolders, type OpenFolder } from "./folder.js";
import type { ApplyPlan, PlannedFile } from "./plan.js";
import { undoSwap } from "./swap-folders.js";
import { identityOf, readVersion } from "./version.js";
import { sha256 } from "../../base/sha256.js";
import { errorCode } from "../../base/system-error.js";

/**
 * Rolls back an apply and removes its temporary files and new folders. Relies only on what is on
 * disk, so it works for an apply that just failed and for one killed yesterday. Returns the paths
 * of files changed by someone since; those are left alone.
 */
export async function undoApply(
    plan: ApplyPlan,
    folders: OpenFolders = new OpenFolders()
): Promise<string[]> {
    const conflicts: string[] = [];
    await eachFile(plan, folders, async (file, folder) => {
        const isUndone = folder
            ? await undoFile(plan, file, folder)
            : plan.newFolders.includes(file.folder);
        if (!isUndone) conflicts.push(file.path);
    });
    for (const folder of [...plan.newFolders].reverse()) await removeIfEmpty(folder);
    return conflicts;
}

/**
 * Removes the temporary files of a complete apply, then does what they prevented: removing the
 * folders that held them, and setting restrictive folder modes.
 */
export async function cleanUpApply(
    plan: ApplyPlan,
    folders: OpenFolders = new OpenFolders()
): Promise<void> {
    await eachFile(plan, folders, async (file, folder) => {
        if (folder) await removeTemporary(file, folder);
    });
    const deepestFirst = plan.files.filter(({ type }) => type === "folder").reverse();
    for (const { folder, name, afterHash, mode } of deepestFirst) {
        const real = join(folder, name);
        if (afterHash === null) await removeIfEmpty(real);
        else if (mode !== undefined) await within(real, (held) => chmod(held.at("."), mode));
    }
}

async function eachFile(
    plan: ApplyPlan,
    folders: OpenFolders,
    work: (file: PlannedFile, folder: OpenFolder | undefined) => Promise<void>
): Promise<void> {
    try {
        for (const file of plan.files) {
            if (!isMoved(file)) continue;
            await work(file, await holdIfThere(folders, file.folder));
        }
    } finally {
        await folders.close();
    }
}

/** A missing folder was removed with our files, never created, or moved away with them. */
async function holdIfThere(folders: OpenFolders, real: string): Promise<OpenFolder | undefined> {
    try {
        return await folders.open(real);
    } catch (error) {
        if (errorCode(error) === "folder-moved") return undefined;
        throw error;
    }
}

async function undoFile(plan: ApplyPlan, file: PlannedFile, folder: OpenFolder): Promise<boolean> {
    if (isSwap(file)) return undoSwap(plan, file, folder);
    const isUndone =
        file.beforeHash === null
            ? await undoCreation(file, folder)
            : file.afterHash === null
              ? await undoDeletion(file, folder)
              : await undoReplacement(file, folder);
    await removeTemporary(file, folder);
    return isUndone;
}

async function undoReplacement(file: PlannedFile, folder: OpenFolder): Promise<boolean> {
    const [path, kept] = [folder.at(file.name), folder.at(file.kept)];
    const keptIdentity = identityOf(kept);
    const wasReplaced = keptIdentity !== null && identityOf(folder.at(file.staged)) === null;
    if (!wasReplaced || identityOf(path) === keptIdentity) return true;
    if (!(await holds(path, file))) return false;
    await rename(kept, path);
    return true;
}

const NOTHING = sha256("");

/** See `createWithoutClobbering`. */
async function undoCreation(file: PlannedFile, folder: OpenFolder): Promise<boolean> {
    const path = folder.at(file.name);
    const created = identityOf(path);
    const staged = identityOf(folder.at(file.staged));
    const isMarked = identityOf(folder.at(file.kept)) !== null;
    if (created === null || (created !== staged && !isMarked)) return true;
    const isReserved = isMarked && staged !== null && (await holds(path, { afterHash: NOTHING }));
    if (!isReserved && !(await holds(path, file))) return false;
    await unlink(path);
    return true;
}

async function undoDeletion(file: PlannedFile, folder: OpenFolder): Promise<boolean> {
    const [path, kept] = [folder.at(file.name), folder.at(file.kept)];
    if (identityOf(kept) === null) return true;
    try {
        await link(kept, path);
    } catch (error) {
        if (errorCode(error) === "EEXIST") return false;
        await rename(kept, path);
    }
    return true;
}

async function holds(
    path: string,
    { afterHash, type }: Pick<PlannedFile, "afterHash" | "type">
): Promise<boolean> {
    const version = await readVersion(path, path, type).catch(() => null);
    return version !== null && version.hash === afterHash;
}

async function removeTemporary(file: PlannedFile, folder: OpenFolder): Promise<void> {
    for (const path of [folder.at(file.staged), folder.at(file.kept)]) {
        // Check first: a read-only file system rejects unlinking even missing files.
        if (identityOf(path) === null) continue;
        if (isSwap(file)) await rm(path, { recursive: true });
        else await unlink(path);
    }
}

async function removeIfEmpty(folder: string): Promise<void> {
    // Someone may create a file there right now; then the folder is theirs.
    const remove = (parent: OpenFolder) => rmdir(parent.at(basename(folder)));
    await within(dirname(folder), (parent) => remove(parent).catch(() => undefined));
}

/** Works in a folder itself, not in what may take its place meanwhile. */
async function within(real: string, work: (folder: OpenFolder) => Promise<void>): Promise<void> {
    const folders = new OpenFolders();
    try {
        const folder = await holdIfThere(folders, real);
        if (folder !== undefined) await work(folder);
    } finally {
        await folders.close();
    }
}
