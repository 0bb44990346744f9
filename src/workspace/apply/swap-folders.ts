import { lstatSync, readdirSync, renameSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { foldersAbove } from "../../base/paths.js";
import { type FileType, isSwap, typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { OpenFolder, OpenFolders } from "./folder.js";
import { mergeInto, moveWhole } from "./move-folder.js";
import type { ApplyPlan, PlannedFile } from "./plan.js";
import { identityOf, readVersion } from "./version.js";

// Where a folder gives way to something else, or takes its place, all that is in it moves with it:
// the new folder is built whole under a temporary name, the old one is kept whole under another.

/** Where the new content of a file is written before it is put in place. */
export function stagedLocation({ files }: Pick<ApplyPlan, "files">, file: PlannedFile) {
    const { folder, name, staged, within } = file;
    const outer = within === undefined || file.afterHash === null ? undefined : files[within];
    if (!outer) return { folder, name: staged };
    const inside = relative(join(outer.folder, outer.name), folder);
    return { folder: join(outer.folder, outer.staged, inside), name };
}

/** Creates a folder that replaces something else, or one inside such a folder. */
export async function stageFolder(
    plan: ApplyPlan,
    file: PlannedFile,
    folders: OpenFolders
): Promise<void> {
    if (file.afterHash === null) return;
    const { folder, name } = stagedLocation(plan, file);
    const outer = file.within === undefined ? undefined : plan.files[file.within];
    const made = file.type === "folder" && (outer || isSwap(file)) ? [join(folder, name)] : [];
    for (let each = folder; outer && each !== outer.folder; each = dirname(each)) {
        made.unshift(each);
    }
    for (const each of made) await folders.make(each);
}

export function swap({ name, kept, staged }: PlannedFile, folder: OpenFolder): boolean {
    moveWhole(folder.at(name), folder.at(kept));
    if (identityOf(folder.at(name)) !== null) return false;
    renameSync(folder.at(staged), folder.at(name));
    return true;
}

/** Takes a swap back; `false` if somebody has changed what was put in place. */
export async function undoSwap(
    plan: ApplyPlan,
    file: PlannedFile,
    folder: OpenFolder
): Promise<boolean> {
    const [target, kept] = [folder.at(file.name), folder.at(file.kept)];
    const isSwapped = identityOf(kept) !== null;
    const isThere = isSwapped && identityOf(target) !== null;
    const isOurs = !isThere || (await isExactly(plan, file, target, "after"));
    if (isThere && isOurs) await rename(target, folder.at(file.staged));
    if (isSwapped && isOurs) await rename(kept, target);
    await rm(folder.at(file.staged), { recursive: true, force: true });
    return isOurs || bringBack(target, kept);
}

/** What is left of a folder that was being moved by its files gets them back. */
function bringBack(target: string, kept: string): boolean {
    const areFolders = [target, kept].every((path) => lstatSync(path).isDirectory());
    return areFolders && mergeInto(kept, target);
}

/** Whether a location holds what a swap takes from there or puts there, to the last file. */
export async function isExactly(
    { files }: ApplyPlan,
    file: PlannedFile,
    location: string,
    side: "before" | "after"
): Promise<boolean> {
    const top = join(file.folder, file.name);
    const inside = files.filter(({ within }) => within !== undefined && files[within] === file);
    const expected = new Map<string, { type: FileType; hash: string | null }>();
    for (const each of [file, ...inside]) {
        const version =
            side === "before"
                ? { type: typeBefore(each), hash: each.beforeHash }
                : { type: typeAfter(each), hash: each.afterHash };
        const path = relative(top, join(each.folder, each.name));
        if (version.hash === null) continue;
        expected.set(path, version);
        for (const above of foldersAbove(path)) {
            if (!expected.has(above)) expected.set(above, { type: "folder", hash: null });
        }
    }
    try {
        for (const [path, { type, hash }] of expected) {
            const version = await readVersion(join(location, path), file.path, type);
            if (version === null || (hash !== null && version.hash !== hash)) return false;
            if (type !== "folder") continue;
            const names = readdirSync(join(location, path));
            if (names.some((name) => !expected.has(join(path, name)))) return false;
        }
        return true;
    } catch {
        return false;
    }
}
