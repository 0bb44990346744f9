import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { isAbsent } from "./storage-error.js";

/** Makes a folder and those above it where they are missing; private unless told otherwise. */
export function makeFolder(folder: string, mode = 0o700): void {
    try {
        mkdirSync(folder, { recursive: true, mode });
    } catch (error) {
        // On a read-only file system the recursive call speaks of a missing folder; making the one
        // that is missing tells the true reason.
        if (isAbsent(error)) mkdirSync(firstMissing(folder), { mode });
        throw error;
    }
}

function firstMissing(folder: string): string {
    const parent = path.dirname(folder);
    return parent === folder || existsSync(parent) ? folder : firstMissing(parent);
}
