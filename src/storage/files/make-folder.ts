import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isFolder } from "../../base/paths.js";
import { isAbsent } from "../../base/system-error.js";

/**
 * Creates a folder and its missing parents, private by default. Returns each folder that got a new
 * entry, so that it can be synced. Not `mkdir({ recursive: true })`: Node reports ENOENT on a
 * read-only file system, and loops forever in a folder that accepts no entries, such as /proc.
 */
export function makeFolder(folder: string, mode = 0o700): readonly string[] {
    const parent = path.dirname(folder);
    try {
        mkdirSync(folder, { mode });
        return [parent];
    } catch (error) {
        if (isFolder(folder)) return [];
        if (!isAbsent(error) || existsSync(parent)) throw error;
        return [...makeFolder(parent, mode), ...makeFolder(folder, mode)];
    }
}
