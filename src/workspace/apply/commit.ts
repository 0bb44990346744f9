import { closeSync, constants, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { copyFile, link, lstat } from "node:fs/promises";
import { isSwap, typeBefore } from "../../plugin/change-set.js";
import type { OpenFolder, OpenFolders } from "./folder.js";
import type { ApplyPlan, PlannedFile } from "./plan.js";
import { isExactly, swap } from "./swap-folders.js";
import { identityOf, readVersion } from "./version.js";
import { errorCode } from "../../base/system-error.js";

/**
 * Moves all staged files into place. Returns the paths of files that changed since the review; if
 * there are any, or if it rejects, call `undoApply`.
 */
export async function commitApply(plan: ApplyPlan, folders: OpenFolders): Promise<string[]> {
    const originals = new Map<PlannedFile, string | null>();
    const stale: string[] = [];
    const files = plan.files.filter(isMoved);
    for (const file of files) {
        const identity = await keepOriginal(plan, file, await folders.open(file.folder));
        if (identity === undefined) stale.push(file.path);
        else originals.set(file, identity);
    }
    if (stale.length > 0) return stale;
    for (const file of files) {
        const folder = await folders.open(file.folder);
        if (!putInPlace(file, folder, originals.get(file) ?? null)) return [file.path];
    }
    return changedMeanwhile(plan, folders);
}

/** Whether it is moved by itself, and not with a swap; folders come and go with their files. */
export function isMoved(file: PlannedFile): boolean {
    return isSwap(file) || (file.type !== "folder" && file.within === undefined);
}

/** Keeps the reviewed original; its identity, `null` for no file, `undefined` if it changed. */
async function keepOriginal(
    plan: ApplyPlan,
    file: PlannedFile,
    folder: OpenFolder
): Promise<string | null | undefined> {
    const path = folder.at(file.name);
    const identity = identityOf(path);
    if (file.beforeHash === null || identity === null) {
        return file.beforeHash === null && identity === null ? null : undefined;
    }

    if (isSwap(file)) {
        return (await isExactly(plan, file, path, "before")) ? identity : undefined;
    }
    const isDeletion = file.afterHash === null;
    if (!isDeletion) await linkOrCopy(file, folder);
    const version = isDeletion ? path : folder.at(file.kept);
    const kept = await readVersion(version, file.path, typeBefore(file));
    return kept?.hash === file.beforeHash ? identity : undefined;
}

/** Synchronous on purpose: nothing may happen between the last check and the rename. */
function putInPlace(file: PlannedFile, folder: OpenFolder, original: string | null): boolean {
    const path = folder.at(file.name);
    if (!folder.isInPlace() || identityOf(path) !== original) return false;
    if (isSwap(file)) return swap(file, folder);
    if (file.beforeHash === null) {
        return file.afterHash === null || createWithoutClobbering(file, folder);
    }

    if (file.afterHash === null) renameSync(path, folder.at(file.kept));
    else renameSync(folder.at(file.staged), path);

    return true;
}

/** Finds originals written to after the check: the backup is a hard link, so it holds the write. */
async function changedMeanwhile(plan: ApplyPlan, folders: OpenFolders): Promise<string[]> {
    const changed: string[] = [];
    for (const file of plan.files.filter(isMoved)) {
        if (file.beforeHash === null) continue;
        const kept = (await folders.open(file.folder)).at(file.kept);
        const isSame = isSwap(file)
            ? await isExactly(plan, file, kept, "before")
            : (await readVersion(kept, file.path, typeBefore(file)))?.hash === file.beforeHash;
        if (!isSame) changed.push(file.path);
    }
    return changed;
}

const STICKY = 0o1000;
const LINKS_UNSUPPORTED = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

function cannotLink(error: unknown): boolean {
    return LINKS_UNSUPPORTED.includes(errorCode(error) ?? "");
}

/** A hard link also sees later writes to the original; a copy is the fallback. */
async function linkOrCopy(file: PlannedFile, folder: OpenFolder): Promise<void> {
    const [from, to] = [folder.at(file.name), folder.at(file.kept)];
    if (await mayRemoveLink(file, folder)) {
        try {
            return await link(from, to);
        } catch (error) {
            if (!cannotLink(error)) throw error;
        }
    }
    await copyFile(from, to, constants.COPYFILE_EXCL);
}

/** In a sticky folder, we could not remove our link to another user's file. */
async function mayRemoveLink(file: PlannedFile, folder: OpenFolder): Promise<boolean> {
    const isSticky = ((await lstat(folder.at("."))).mode & STICKY) !== 0;
    const user = process.geteuid?.();
    return !isSticky || user === 0 || (await lstat(folder.at(file.name))).uid === user;
}

/**
 * Keeps the staged name until the end: undo uses it to recognize the new file as ours. Where it
 * cannot, `kept` says so.
 */
function createWithoutClobbering(file: PlannedFile, folder: OpenFolder): boolean {
    const [staged, path] = [folder.at(file.staged), folder.at(file.name)];
    const mark = folder.at(file.kept);
    try {
        linkSync(staged, path);
        // Some network file systems give each name of a file an identity of its own.
        if (identityOf(path) !== identityOf(staged)) closeSync(openSync(mark, "wx"));
        return true;
    } catch (error) {
        if (errorCode(error) === "EEXIST") return false;
        if (!cannotLink(error)) throw error;
    }
    // Without hard links, reserve the name with an empty file.
    closeSync(openSync(mark, "wx"));
    try {
        closeSync(openSync(path, "wx"));
    } catch (error) {
        unlinkSync(mark);
        if (errorCode(error) === "EEXIST") return false;
        throw error;
    }
    renameSync(staged, path);
    return true;
}
