import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { isAbsent } from "../../base/system-error.js";

/**
 * Makes a folder and those above it where they are missing; private unless told otherwise. Returns
 * the folders that have got a new one, so that they can be synced. One by
 * one: Node's own recursive call speaks of a missing folder on a read-only file system, and never
 * ends where a folder is there and takes none in it, as /proc.
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

function isFolder(place: string): boolean {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
