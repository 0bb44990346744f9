import { join } from "node:path";
import { NorthError } from "../../base/north-error.js";
import type { FolderEntry } from "../../plugin/workspace.js";
import type { IgnoreList } from "../ignore/ignore-list.js";
import { relativePath, resolveInside, type ResolvedPath } from "../safe-path.js";
import type { FileTree } from "../tree/file-tree.js";
import { errorCode } from "../../base/system-error.js";

/** Folders first, then by name; leaves out ignored entries and links that lead out of the root. */
export async function listFolder(
    root: string,
    resolved: ResolvedPath,
    ignoreList: IgnoreList,
    files: FileTree
): Promise<readonly FolderEntry[]> {
    const folder = relativePath(root, resolved.absolute);
    const names = await files.readdir(resolved.absolute).catch((error: unknown) => {
        if (errorCode(error) === "ENOTDIR") {
            throw new NorthError("not-a-folder", `${resolved.path} is not a folder.`);
        }

        throw error;
    });
    // An ignored folder that was asked for by name is shown in full.
    const rules = await ignoreList.rulesFor(folder);
    const mark = rules === undefined ? ({ ignored: true } as const) : {};
    const entries = await Promise.all(
        names.map(async (name) => {
            const entry = await visibleEntry(root, join(resolved.absolute, name), name, files);
            if (entry === undefined || name === ".git") return undefined;
            if (rules === undefined) return entry;
            const rule = ignoreList.rule(rules, name, entry.isLink ? "file" : entry.type);
            return rule === "ignored" ? undefined : entry;
        })
    );
    return entries
        .flatMap((entry) =>
            entry ? [{ name: entry.name, type: entry.type, size: entry.size, ...mark }] : []
        )
        .sort(byTypeAndName);
}

interface ListedEntry extends FolderEntry {
    /** Git treats every link as a file. */
    readonly isLink: boolean;
}

async function visibleEntry(
    root: string,
    absolute: string,
    name: string,
    files: FileTree
): Promise<ListedEntry | undefined> {
    try {
        const resolved = await resolveInside(root, absolute, files);
        const stats = await files.lstat(resolved.absolute);
        const isLink = resolved.absolute !== absolute;
        if (stats.isDirectory()) return { name, type: "dir", size: 0, isLink };
        return stats.isFile() ? { name, type: "file", size: stats.size, isLink } : undefined;
    } catch {
        return undefined;
    }
}

function byTypeAndName(left: FolderEntry, right: FolderEntry): number {
    if (left.type !== right.type) return left.type === "dir" ? -1 : 1;
    return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
