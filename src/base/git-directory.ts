import { lstat } from "node:fs/promises";
import path from "node:path";
import { readShortFile } from "./read-regular-file.js";

const POINTER = /^gitdir:[ \t]*([^\r\n]+)/;

/** `.git`, or the target of a worktree's or submodule's `.git` file; `undefined` without one. */
export async function gitDirectory(root: string): Promise<string | undefined> {
    const dotGit = path.join(root, ".git");
    const status = await lstat(dotGit).catch(() => undefined);
    if (status?.isDirectory()) return dotGit;
    if (!status?.isFile()) return undefined;
    const target = POINTER.exec(readShortFile(dotGit) ?? "")?.[1]?.trim();
    return target ? path.resolve(root, target) : undefined;
}

/** The git directory, and the common one that all worktrees of the repository share. */
export async function gitDirectories(
    root: string
): Promise<{ readonly own: string; readonly common: string } | undefined> {
    const own = await gitDirectory(root);
    if (own === undefined) return undefined;
    const shared = readShortFile(path.join(own, "commondir"))?.trim();
    return { own, common: shared ? path.resolve(own, shared) : own };
}

/** The objects folders of other repositories that git reads as well; gitrepository-layout(5). */
export function alternateObjects(gitDirectory: string): string[] {
    const objects = path.join(gitDirectory, "objects");
    const listed = readShortFile(path.join(objects, "info", "alternates")) ?? "";
    return listed
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => path.resolve(objects, line));
}

/** The checked-out branch, or the abbreviated commit id; `undefined` without git. */
export async function currentBranch(root: string): Promise<string | undefined> {
    const git = await gitDirectory(root);
    const head = (git && readShortFile(path.join(git, "HEAD")))?.trim();
    return head && (/^ref: refs\/heads\/(.+)/.exec(head)?.[1] ?? head.slice(0, 7));
}
