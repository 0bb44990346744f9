import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

interface EntryBelow {
    /** Relative to the folder, with `/`. */
    readonly path: string;
    readonly entry: Dirent;
}

/**
 * Everything below a folder. Links are not followed, unlike by a recursive `readdir` since Node 26: a
 * repository can link a folder to itself. Rejects if a folder cannot be read.
 */
export async function entriesBelow(folder: string): Promise<readonly EntryBelow[]> {
    const found: EntryBelow[] = [];
    const pending = [""];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
        for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
            const path = at === "" ? entry.name : `${at}/${entry.name}`;
            found.push({ path, entry });
            if (entry.isDirectory()) pending.push(path);
        }
    }
    return found;
}
