import { lstat, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ChangeSet } from "../plugin/index.js";
import { gitDirectories } from "../base/git-directory.js";
import { foldersAbove, isInside } from "../base/paths.js";

/**
 * Git's folders, also where `.git` is a file that names them, and North's `own`: as far as they are
 * inside the root, relative to it. Tools neither read nor write them.
 */
export async function closedFolders(
    root: string,
    own: readonly string[]
): Promise<readonly string[]> {
    const folders = [...Object.values((await gitDirectories(root)) ?? {}), ...own];
    const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
    return real
        .filter((folder) => folder !== root && isInside(root, folder))
        .map((folder) => relative(root, folder));
}

export function writtenPlaces(changes: ChangeSet["changes"]): ReadonlySet<string> {
    const written = changes.filter(({ after }) => after !== null);
    return new Set(written.flatMap(({ path }) => [path, ...foldersAbove(path)]));
}

/**
 * Returns the parent folder of `path` that git would take for a git directory once the change is
 * made: whoever writes its `config` controls what git runs there. Considers the whole change set,
 * since its files may form one together.
 */
export async function gitDirectoryAbove(
    root: string,
    path: string,
    written: ReadonlySet<string>
): Promise<string | undefined> {
    const isThere = async (location: string) =>
        written.has(location) ||
        (await lstat(join(root, location)).catch(() => undefined)) !== undefined;
    const parts = path.split("/").slice(0, -1);
    for (let depth = parts.length; depth >= 0; depth -= 1) {
        const folder = parts.slice(0, depth).join("/");
        const inFolder = (name: string) => isThere(folder === "" ? name : `${folder}/${name}`);
        if (!(await inFolder("HEAD"))) continue;
        if (await inFolder("commondir")) return folder;
        if ((await inFolder("objects")) && (await inFolder("refs"))) return folder;
    }
    return undefined;
}
