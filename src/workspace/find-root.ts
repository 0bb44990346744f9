import { lstatSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { attempt } from "../base/attempt.js";
import { NorthError } from "../base/north-error.js";
import { distrustPrograms } from "../base/search-path.js";
import { errorCode } from "../base/system-error.js";

export interface Root {
    /** Absolute, links resolved. */
    readonly root: string;
    /** Whether it contains `.git`. */
    readonly isRepository: boolean;
}

/**
 * Returns the nearest parent with a `.git`, or `start`. North itself runs no program from there then
 * (`distrustPrograms`). Rejects with `not-found` or `not-a-folder`.
 */
export async function findRoot(start: string): Promise<Root> {
    const found = await rootAround(start);
    distrustPrograms(found.root);
    return found;
}

async function rootAround(start: string): Promise<Root> {
    const folder = await realFolder(resolve(start));
    for (let candidate = folder; ; candidate = dirname(candidate)) {
        if (hasGit(candidate)) return { root: candidate, isRepository: true };
        if (candidate === dirname(candidate)) return { root: folder, isRepository: false };
    }
}

/** Whether a folder is the top of a git work tree; `.git` is a file in worktrees and submodules. */
export function hasGit(folder: string): boolean {
    const found = attempt(() => lstatSync(join(folder, ".git"), { throwIfNoEntry: false }));
    return found !== undefined && (found.isDirectory() || found.isFile());
}

async function realFolder(start: string): Promise<string> {
    try {
        const real = await realpath(start);
        if ((await stat(real)).isDirectory()) return real;
    } catch (error) {
        const missing = errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR";
        throw new NorthError(
            missing ? "not-found" : "not-readable",
            missing ? `There is no folder ${start}.` : `${start} cannot be opened.`,
            ["Name an existing folder with --path."],
            { cause: error }
        );
    }
    throw new NorthError("not-a-folder", `${start} is not a folder.`, [
        "Name a folder with --path.",
    ]);
}
