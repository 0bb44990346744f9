import { readFileSync } from "node:fs";
import path from "node:path";

/** Where a second work tree, or a submodule, has its git folder: outside of the project. */
export interface OuterGitFolder {
    /** The folder of the whole repository. */
    readonly folder: string;
    /** What belongs to this work tree, in that folder: `worktrees/NAME`, or nothing. */
    readonly own: string;
}

/** `undefined` where git's folder lies in the project, or there is none. */
export function outerGitFolder(root: string): OuterGitFolder | undefined {
    const own = namedFolder(path.join(root, ".git"), /^gitdir: (.*)$/m, root);
    if (own === undefined) return undefined;
    const folder = namedFolder(path.join(own, "commondir"), /^(.*)$/m, own) ?? own;
    return { folder, own: path.relative(folder, own) };
}

function namedFolder(file: string, pattern: RegExp, from: string): string | undefined {
    try {
        const named = pattern.exec(readFileSync(file, "utf8"))?.[1]?.trim();
        return named ? path.resolve(from, named) : undefined;
    } catch {
        return undefined;
    }
}
