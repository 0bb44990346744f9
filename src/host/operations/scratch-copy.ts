import { constants } from "node:fs";
import { cp, lstat, readdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { type FileVersion, type FileVersions, isCovered } from "../../core/history/states.js";
import type { FileChange } from "../../plugin/index.js";
import { createPrivateFolder, removeTree } from "../../shell/private-folder.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { currentVersion } from "../../workspace/current-file.js";
import { resolveInside } from "../../workspace/safe-path.js";

export type ScratchCopy = Awaited<ReturnType<typeof createScratchCopy>>;

/** A disposable copy of a project. Later ones sweep the copies of killed processes. */
export async function createScratchCopy(root: string) {
    const base = await createPrivateFolder("contained", [tmpdir(), "/var/tmp"], root);
    if (base === undefined) {
        throw new NorthError(
            "no-scratch-folder",
            "There is no temporary folder outside the project."
        );
    }
    const copy = path.join(base, "project", path.basename(root) || "root");
    await cp(root, copy, {
        recursive: true,
        preserveTimestamps: true,
        verbatimSymlinks: true,
        // Shares the bytes if the file system can.
        mode: constants.COPYFILE_FICLONE,
        filter: async (location) => isCopied(await lstat(location)),
    });
    return {
        root: copy,
        /** North's own files about the copy. */
        own: path.join(base, "own"),
        write: (file: string, version: FileVersion, contents: ContentStore) =>
            write(copy, file, version, contents),
        /** Sets the copy to a state, in which a link may have taken the place of a folder. */
        async writeAll(files: FileVersions, contents: ContentStore): Promise<void> {
            for (const [file, version] of files) {
                if (!isCovered(file, files)) await write(copy, file, version, contents);
            }
        },
        remove: () => removeTree(base),
    };
}

function isCopied(stats: Awaited<ReturnType<typeof lstat>>): boolean {
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
}

async function write(
    root: string,
    file: string,
    { type, hash, mode }: FileVersion,
    contents: ContentStore
): Promise<void> {
    const applier = createChangeApplier({ root });
    const apply = async (changes: readonly FileChange[]): Promise<void> => {
        const outcome = await applier.apply({ changes });
        if (outcome.kind === "stale") throw new Error(`${file} changed while it was written.`);
    };
    const kind = { path: file, ...(type !== undefined && { type }) };
    const inTheWay = await versionsBelow(root, file);
    const isSame = inTheWay.every((each) => each.path === file && each.type === type);
    if (!isSame) await apply(inTheWay);
    const { before, beforeHash } = (isSame && inTheWay[0]) || { before: null, beforeHash: null };
    if (hash === null) {
        if (beforeHash !== null) await apply([{ ...kind, before, beforeHash, after: null }]);
        return removeEmptyFolders(path.dirname(path.join(root, file)));
    }
    const after = type === "folder" ? new Uint8Array() : await contents.get(hash);
    const bits = mode === undefined || type === "link" ? {} : { mode };
    await apply([{ ...kind, before, beforeHash, after, ...bits }]);
}

/** What is at a path and, of a folder, below it, as deletions; its own comes last. */
async function versionsBelow(root: string, file: string): Promise<FileChange[]> {
    const { absolute } = await resolveInside(root, path.dirname(file));
    const stats = await lstat(path.join(absolute, path.basename(file))).catch(() => undefined);
    if (stats === undefined) return [];
    const type = stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : undefined;
    const names = type === "folder" ? await readdir(path.join(root, file)) : [];
    const below = await Promise.all(names.map((name) => versionsBelow(root, `${file}/${name}`)));
    const version = await currentVersion(root, file, type);
    if (version === null) return below.flat();
    const before = { before: version.bytes, beforeHash: version.hash };
    return [...below.flat(), { path: file, ...(type && { type }), ...before, after: null }];
}

/** Removes the folders that creating a file made; no record names them. */
async function removeEmptyFolders(folder: string): Promise<void> {
    try {
        await rmdir(folder);
        await removeEmptyFolders(path.dirname(folder));
    } catch {
        // Not empty, or already gone.
    }
}
