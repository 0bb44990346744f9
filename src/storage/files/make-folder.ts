import { mkdirSync } from "node:fs";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { isFolder } from "../../base/paths.js";
import { errorCode } from "../../base/system-error.js";

/**
 * Creates a folder and its missing parents, private by default. Returns each folder that got a new
 * entry, so that it can be synced. Not `mkdir({ recursive: true })`: Node reports ENOENT on a
 * read-only file system, and loops forever in a folder that accepts no entries, such as /proc.
 * Throws `not-writable` if something else is in the way.
 */
export function makeFolder(folder: string, mode = 0o700): readonly string[] {
    const parent = path.dirname(folder);
    try {
        mkdirSync(folder, { mode });
        return [parent];
    } catch (error) {
        if (isFolder(folder)) return [];
        const code = errorCode(error);
        if (code === "EEXIST") {
            throw new NorthError("not-writable", `${folder} must be a folder.`, [
                "Check what it is, and delete it if you do not need it.",
            ]);
        }
        if (!["ENOENT", "ENOTDIR"].includes(code ?? "") || isFolder(parent)) throw error;
        return [...makeFolder(parent, mode), ...makeFolder(folder, mode)];
    }
}
