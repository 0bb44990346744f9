import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { isProtectedPath } from "../../plugin/protected-path.js";
import { stagedName } from "./apply-owner.js";
import { gitDirectoryAbove } from "../closed-places.js";
import { sha256 } from "./version.js";
import { relativePath, resolveInside } from "../safe-path.js";
import { errorCode } from "../../base/system-error.js";

/** One file of an apply. JSON: after a kill it is all that is left to go by. */
export interface PlannedFile {
    /** As reviewed, relative to the root. */
    readonly path: string;
    /** A regular file if absent. */
    readonly type?: FileChange["type"];
    /** The real, absolute folder of the real file. */
    readonly folder: string;
    readonly name: string;
    /** The name, in the same folder, of the new content until it takes its place. */
    readonly staged: string;
    /** The name, in the same folder, of the original until all is done. */
    readonly kept: string;
    readonly beforeHash: string | null;
    readonly afterHash: string | null;
    /** Permission bits that a folder gets. */
    readonly mode?: number;
}

/** All that an apply will touch. */
export interface ApplyPlan {
    readonly id: string;
    readonly files: readonly PlannedFile[];
    /** Real, absolute, parents first. */
    readonly newFolders: readonly string[];
}

/** Resolves every target without touching the disk; rejects paths that must not be written. */
export async function planApply(
    id: string,
    { root, closed }: { readonly root: string; readonly closed: readonly string[] },
    changeSet: ChangeSet
): Promise<ApplyPlan> {
    const files: PlannedFile[] = [];
    const newFolders = new Set<string>();
    for (const [index, change] of changeSet.changes.entries()) {
        const place = await resolveTarget(root, change);
        await requireOpen(root, closed, join(place.folder, place.name), changeSet);
        if (files.some((file) => file.folder === place.folder && file.name === place.name)) {
            throw new NorthError("duplicate-path", `${change.path} is changed twice at once.`, [
                "Put all changes of one file into one change.",
            ]);
        }
        place.missing.forEach((folder) => newFolders.add(folder));
        files.push({
            path: change.path,
            ...(change.type === undefined ? {} : { type: change.type }),
            ...(change.type === "folder" && change.mode !== undefined ? { mode: change.mode } : {}),
            folder: place.folder,
            name: place.name,
            staged: stagedName(id, index, "staged"),
            kept: stagedName(id, index, "kept"),
            beforeHash: change.beforeHash,
            afterHash: change.after === null ? null : sha256(change.after),
        });
    }
    return { id, files, newFolders: [...newFolders].sort() };
}

interface ResolvedTarget {
    readonly folder: string;
    readonly name: string;
    readonly missing: readonly string[];
}

async function resolveTarget(root: string, change: FileChange): Promise<ResolvedTarget> {
    const { path, absolute } = await placeOf(root, change);
    if (absolute === root) {
        throw new NorthError("not-a-file", "The repository itself is not a file.");
    }

    if (isProtectedPath(path) || isProtectedPath(relative(root, absolute))) {
        throw new NorthError("protected-path", `${path} belongs to git or to North.`, [
            "Files in .git and .north are never edited; leave them to the user.",
        ]);
    }
    const isFile = change.type === undefined;
    if (isFile && change.after === null && (await isLink(root, path))) {
        throw new NorthError("not-a-file", `${path} is a link and is not deleted.`, [
            "Delete the file it leads to, or leave the link to the user.",
        ]);
    }
    return {
        folder: dirname(absolute),
        name: basename(absolute),
        missing: await missingFolders(
            change.type === "folder" && change.after !== null ? absolute : dirname(absolute),
            path
        ),
    };
}

/** Writing a file follows links; changing a link or a folder changes the name itself. */
async function placeOf(root: string, { path, type }: FileChange) {
    if (type === undefined) return resolveInside(root, path);

    const parent = await resolveInside(root, dirname(path));
    return { path: relativePath(root, path), absolute: join(parent.absolute, basename(path)) };
}

async function requireOpen(
    root: string,
    closed: readonly string[],
    absolute: string,
    changeSet: ChangeSet
): Promise<void> {
    const path = relative(root, absolute).split(sep).join("/");
    const isOwn = closed.some((folder) => path === folder || path.startsWith(`${folder}/`));
    const git = isOwn ? undefined : await gitDirectoryAbove(root, path, changeSet);
    if (!isOwn && git === undefined) return;
    throw new NorthError("protected-path", `${path} belongs to git or to North.`, [
        git === undefined
            ? "North's own folders are never edited; leave them to the user."
            : `${git || "The root"} is the inside of a git repository, or would be; leave it to the user.`,
    ]);
}

async function isLink(root: string, path: string): Promise<boolean> {
    const stats = await lstat(`${root}/${path}`).catch(() => undefined);
    return stats?.isSymbolicLink() ?? false;
}

async function missingFolders(folder: string, path: string): Promise<string[]> {
    try {
        if (!(await lstat(folder)).isDirectory()) throw notAFolder(path);

        return [];
    } catch (error) {
        if (errorCode(error) === "ENOTDIR") throw notAFolder(path);

        if (errorCode(error) !== "ENOENT") throw error;
    }
    return [...(await missingFolders(dirname(folder), path)), folder];
}

function notAFolder(path: string): NorthError {
    return new NorthError(
        "not-a-folder",
        `${path} cannot be written: there is a file where one of its folders would be.`,
        ["Choose another path."]
    );
}
