import { realpath } from "node:fs/promises";
import type { ChangedFile, ChangeSet, FileChange } from "../../plugin/index.js";
import { nameRunLater } from "../../plugin/runs-later.js";
import { closedFolders } from "../closed-places.js";
import { GitPrograms } from "./git-programs.js";
import { type ApplyRoot, planApply, realPathOf } from "./plan.js";
import { otherNames, ProjectLinks } from "./project-links.js";
import { filesOnDisk, type FileTree } from "../tree/file-tree.js";
import type { StoredContents } from "../../base/stored-contents.js";
import { ViewTree } from "../tree/view-tree.js";

export interface ApplyRootOptions {
    readonly root: string;
    /** North's own folders, absolute; nothing is written there. */
    readonly ownFolders?: readonly string[];
    /** Also writes to git's and North's folders: to restore what was there is the user's own act. */
    readonly isUnprotected?: boolean;
}

/** The real root, and what is never written in it. */
export async function applyRoot(
    options: ApplyRootOptions,
    files: FileTree = filesOnDisk
): Promise<ApplyRoot> {
    const { ownFolders = [], isUnprotected = false } = options;
    const root = await realpath(options.root);
    if (isUnprotected) return { root, files, closed: [], isUnprotected };
    const closed = await closedFolders(root, ownFolders);
    return { root, files, closed, isUnprotected };
}

interface StoredView {
    readonly files: ReadonlyMap<string, ChangedFile>;
    readonly contents: StoredContents;
}

/** Finds out, before a review, which files a change set would really write. */
export class ChangeResolver {
    private links: ProjectLinks | undefined;
    private git: GitPrograms | undefined;
    private tree: ViewTree | undefined;

    constructor(private readonly options: ApplyRootOptions) {}

    /** With a view: which files of the view. */
    async resolve({ changes }: ChangeSet, view?: StoredView): Promise<ChangeSet> {
        const within = await applyRoot(this.options, view && (await this.treeOf(view)));
        const { root } = within;
        const { files } = await planApply("", within, { changes });
        this.links ??= new ProjectLinks(root);
        this.git ??= new GitPrograms(root);
        const links = await this.links.withLinksOf(changes).catch(() => undefined);
        const isNamedByGit = await this.git.current();
        const resolved = changes.map((change, index) => {
            const file = files[index];
            const realPath = file ? realPathOf(root, file) : change.path;
            const others = links && otherNames(realPath, links);
            // Too many links to follow may hide any name.
            const runsAs =
                others === undefined || isNamedByGit(realPath)
                    ? realPath
                    : firstRunLater(change, [change.path, realPath, ...others]);
            return withResolution(change, realPath, runsAs);
        });
        return { changes: resolved };
    }

    private async treeOf({ files, contents }: StoredView): Promise<ViewTree> {
        this.tree ??= new ViewTree(await realpath(this.options.root), contents);
        await this.tree.show(files);
        return this.tree;
    }
}

function firstRunLater(change: FileChange, names: readonly string[]): string | undefined {
    for (const path of names) {
        const name = nameRunLater({ ...change, path, realPath: path, runsAs: undefined });
        if (name !== undefined) return name;
    }
    return undefined;
}

/** Replaces what a tool may have claimed. */
function withResolution(
    { runsAs: _claimed, ...change }: FileChange,
    realPath: string,
    runsAs: string | undefined
): FileChange {
    return { ...change, realPath, ...(runsAs !== undefined && { runsAs }) };
}
