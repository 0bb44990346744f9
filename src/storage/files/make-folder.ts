import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { isAbsent } from "../../base/system-error.js";

/**
 * Makes a folder and those above it where they are missing; private unless told otherwise. One by
 * one: Node's own recursive call speaks of a missing folder on a read-only file system, and never
 * ends where a folder is there and takes none in it, as /proc.
 */
export function makeFolder(folder: string, mode = 0o700): void {
    try {
        mkdirSync(folder, { mode });
    } catch (error) {
        if (isFolder(folder)) return;
        const parent = path.dirname(folder);
        if (!isAbsent(error) || existsSync(parent)) throw error;
        makeFolder(parent, mode);
        makeFolder(folder, mode);
    }
}

function isFolder(place: string): boolean {
    return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
