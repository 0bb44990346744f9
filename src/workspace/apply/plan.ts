import { basename, dirname, join, relative } from "node:path";
import { attempt } from "../../base/attempt.js";
import { isSwap } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange, FileTypes } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { foldersAbove } from "../../base/paths.js";
import { isProtectedPath } from "../../plugin/protected-path.js";
import { stagedName } from "./apply-owner.js";
import { gitDirectoryAbove, writtenPlaces } from "../closed-places.js";
import { relativePath, resolveInside } from "../safe-path.js";
import { errorCode } from "../../base/system-error.js";
import type { FileTree } from "../tree/file-tree.js";

/** One file of an apply. Must be JSON: after a kill it is all we have. */
export interface PlannedFile extends FileTypes {
    /** As reviewed, relative to the root. */
    readonly path: string;
    /** The folder the file is really in: absolute, links resolved. */
    readonly folder: string;
    readonly name: string;
    /** Temporary name of the new content, in the same folder. */
    readonly staged: string;
    /** Temporary name of the original, in the same folder. */
    readonly kept: string;
    readonly beforeHash: string | null;
    readonly afterHash: string | null;
    readonly isIgnored?: true;
    /** The index of the swap that this file moves with; see `isSwap`. */
    readonly within?: number;
    /** Permission bits of a folder. */
    readonly mode?: number;
}

export interface ApplyPlan {
    readonly id: string;
    readonly files: readonly PlannedFile[];
    /** Absolute, links resolved, parents first. */
    readonly newFolders: readonly string[];
}

export interface ApplyRoot {
    /** Real and absolute. */
    readonly root: string;
    /** Folders of git and North, relative to the root. */
    readonly closed: readonly string[];
    readonly isUnprotected: boolean;
    readonly files: FileTree;
}

/** Where the planned file really is, relative to the root. */
export function realPathOf(root: string, { folder, name }: Pick<PlannedFile, "folder" | "name">) {
    return relative(root, join(folder, name));
}

/** Resolves every target without writing anything; rejects paths that must not be written. */
export async function planApply(
    id: string,
    within: ApplyRoot,
    changeSet: ChangeSet
): Promise<ApplyPlan> {
    const files: PlannedFile[] = [];
    const newFolders = new Set<string>();
    const targets = new Set<string>();
    const resolver = new TargetResolver(within, changeSet);
    for (const [index, change] of changeSet.changes.entries()) {
        const { folder, name, missing, within } = await resolver.resolve(change);
        const target = join(folder, name);
        if (targets.has(target)) {
            throw new NorthError("duplicate-path", `${change.path} is changed twice at once.`, [
                "Put all changes of one file into one change.",
            ]);
        }
        targets.add(target);
        missing.forEach((each) => newFolders.add(each));
        files.push({
            path: change.path,
            ...(change.type === undefined ? {} : { type: change.type }),
            ...(change.typeBefore === undefined ? {} : { typeBefore: change.typeBefore }),
            ...(within === undefined ? {} : { within }),
            ...(change.type === "folder" && change.mode !== undefined ? { mode: change.mode } : {}),
            folder,
            name,
            staged: stagedName(id, index, "staged"),
            kept: stagedName(id, index, "kept"),
            beforeHash: change.beforeHash,
            afterHash: change.after === null ? null : sha256(change.after),
            ...(change.isIgnored === true && { isIgnored: true }),
        });
    }
    return { id, files, newFolders: [...newFolders].sort() };
}

interface ResolvedTarget extends Pick<PlannedFile, "folder" | "name" | "within"> {
    readonly missing: readonly string[];
}

interface Swap {
    readonly index: number;
    readonly path: string;
    readonly isToFolder: boolean;
}

/** Finds the real location of each change, resolving each folder only once. */
class TargetResolver {
    private readonly real = new Map<string, Promise<string>>();
    private readonly missing = new Map<string, Promise<readonly string[]>>();
    private readonly git = new Map<string, Promise<string | undefined>>();
    private readonly written: ReadonlySet<string>;
    private readonly swaps: ReadonlyMap<string, Swap>;

    constructor(
        private readonly within: ApplyRoot,
        { changes }: ChangeSet
    ) {
        this.written = writtenPlaces(changes);
        this.swaps = new Map(
            changes.flatMap((change, index) => {
                if (!isSwap(change)) return [];
                const path = relativePath(within.root, change.path);
                return [[path, { index, path, isToFolder: change.type === "folder" }]];
            })
        );
    }

    async resolve(change: FileChange): Promise<ResolvedTarget> {
        const { root, isUnprotected } = this.within;
        const path = relativePath(root, change.path);
        const swap = this.swapAround(path);
        if (swap && (swap.isToFolder ? change.before : change.after) !== null) {
            throw notAFolder(path);
        }
        const { absolute, isLink } = await this.targetOf(change, path, swap);
        if (absolute === root) {
            throw new NorthError("not-a-file", "The repository itself is not a file.");
        }

        const place = { folder: dirname(absolute), name: basename(absolute) };
        const real = realPathOf(root, place);
        if (!isUnprotected && (isProtectedPath(path) || isProtectedPath(real))) {
            throw new NorthError("protected-path", `${path} belongs to git or to North.`, [
                "Files in .git and .north are never edited; leave them to the user.",
            ]);
        }
        if (isLink && change.type === undefined && change.after === null) {
            throw new NorthError("not-a-file", `${path} is a link and is not deleted.`, [
                "Delete the file it points to, or leave the link to the user.",
            ]);
        }
        if (!isUnprotected) await this.requireOpen(real);
        if (swap) return { ...place, missing: [], within: swap.index };
        const isNewFolder = change.type === "folder" && change.after !== null && !isSwap(change);
        const needed = isNewFolder ? absolute : dirname(absolute);
        const missing = await once(this.missing, needed, () =>
            missingFolders(this.within.files, needed, path)
        );
        return { ...place, missing };
    }

    private swapAround(path: string): Swap | undefined {
        const folder = foldersAbove(path).find((each) => this.swaps.has(each));
        return folder === undefined ? undefined : this.swaps.get(folder);
    }

    /** Writing a file follows links; changing a link or a folder affects the name itself. */
    private async targetOf(change: FileChange, path: string, swap: Swap | undefined) {
        const { root, files } = this.within;
        if (path === "") return { absolute: root, isLink: false };
        const folder = dirname(swap?.path ?? path);
        const real = await once(
            this.real,
            folder,
            async () => (await resolveInside(root, folder, files)).absolute
        );
        // What is in a new folder does not exist yet, and a link in its place leads elsewhere.
        const absolute = join(real, relative(folder, path));
        const isLink = !swap?.isToFolder && isLinkAt(files, absolute);
        const isOfName = change.type !== undefined || change.typeBefore !== undefined;
        if (!isLink || isOfName) return { absolute, isLink };
        return { ...(await resolveInside(root, path, files)), isLink };
    }

    private async requireOpen(path: string): Promise<void> {
        const { root, closed } = this.within;
        const isOwn = closed.some((folder) => path === folder || path.startsWith(`${folder}/`));
        const folder = dirname(path);
        const git = isOwn
            ? undefined
            : await once(this.git, folder, () => gitDirectoryAbove(root, path, this.written));
        if (!isOwn && git === undefined) return;
        throw new NorthError("protected-path", `${path} belongs to git or to North.`, [
            git === undefined
                ? "North's own folders are never edited; leave them to the user."
                : `${git || "The root"} is the inside of a git repository, or would be; leave it to the user.`,
        ]);
    }
}

/** Synchronous: a batch of files would need thousands of round trips to Node's thread pool. */
function isLinkAt(files: FileTree, absolute: string): boolean {
    return attempt(() => files.lstatSync(absolute)?.isSymbolicLink() ?? false, false);
}

function once<Value>(
    known: Map<string, Promise<Value>>,
    key: string,
    find: () => Promise<Value>
): Promise<Value> {
    const value = known.get(key) ?? find();
    known.set(key, value);
    return value;
}

async function missingFolders(files: FileTree, folder: string, path: string): Promise<string[]> {
    try {
        if (!(await files.lstat(folder)).isDirectory()) throw notAFolder(path);
        return [];
    } catch (error) {
        if (errorCode(error) === "ENOTDIR") throw notAFolder(path);
        if (errorCode(error) !== "ENOENT") throw error;
    }
    return [...(await missingFolders(files, dirname(folder), path)), folder];
}

function notAFolder(path: string): NorthError {
    return new NorthError(
        "not-a-folder",
        `${path} cannot be written: there is a file where one of its folders would be.`,
        ["Choose another path."]
    );
}
