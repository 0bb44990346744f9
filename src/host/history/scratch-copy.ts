import { constants } from "node:fs";
import { chmod, cp, lstat, mkdir, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import type { FileVersion } from "../../core/history/states.js";
import { createPrivateFolder, removeTree } from "../../shell/private-folder.js";

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
        filter: async (place) => isCopied(await lstat(place)),
    });
    return {
        root: copy,
        /** North's own files about the copy. */
        own: path.join(base, "own"),
        write: (file: string, version: FileVersion, contents: ContentStore) =>
            write(path.join(copy, file), version, contents),
        remove: () => removeTree(base),
    };
}

function isCopied(stats: Awaited<ReturnType<typeof lstat>>): boolean {
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
}

async function write(
    place: string,
    { type, hash, mode }: FileVersion,
    contents: ContentStore
): Promise<void> {
    const bytes = hash === null || type === "folder" ? new Uint8Array() : await contents.get(hash);
    if (type !== "folder" || hash === null) await rm(place, { recursive: true, force: true });
    if (hash === null) return removeEmptyFolders(path.dirname(place));
    await mkdir(type === "folder" ? place : path.dirname(place), { recursive: true });
    if (type === "link") return symlink(Buffer.from(bytes), place);
    if (type === undefined) await writeFile(place, bytes);
    if (mode !== undefined) await chmod(place, mode);
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
