import { lstatSync } from "node:fs";
import path from "node:path";
import { runGit } from "../../../base/git.js";
import { gitDirectories } from "../../../base/git-directory.js";
import { isInside, resolveRealPath } from "../../../base/paths.js";
import { readShortFile } from "../../../base/read-regular-file.js";

/**
 * Git's folder, if it is outside the project: that of a worktree or a submodule. The project's
 * `.git` file is data of the repository and may name any folder, so it counts only if that folder
 * is git's and names this project itself.
 */
export async function outerGitFolder(root: string): Promise<string | undefined> {
    const git = await gitDirectories(root);
    if (git === undefined || git.own === path.join(root, ".git")) return undefined;
    const [own, common] = [resolveRealPath(git.own), resolveRealPath(git.common)];
    if (own === undefined || common === undefined) return undefined;
    if (isInside(common, root) || isInside(root, common) || !isGitFolder(common)) return undefined;
    const isOurs = own === common ? await isSubmodule(common, root) : isWorktree(own, common, root);
    return isOurs ? common : undefined;
}

function isGitFolder(folder: string): boolean {
    const isThere = (name: string, kind: "isFile" | "isDirectory") =>
        lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.[kind]() ?? false;
    return (
        isThere("HEAD", "isFile") &&
        isThere("objects", "isDirectory") &&
        isThere("refs", "isDirectory")
    );
}

function isWorktree(own: string, common: string, root: string): boolean {
    if (path.dirname(own) !== path.join(common, "worktrees")) return false;
    const back = readShortFile(path.join(own, "gitdir"))?.trim();
    return back !== undefined && isSame(path.resolve(own, path.dirname(back)), root);
}

async function isSubmodule(folder: string, root: string): Promise<boolean> {
    const config = path.join(folder, "config");
    const output = await runGit(root, [
        "config",
        "--no-includes",
        "--file",
        config,
        "core.worktree",
    ]);
    const back = output?.complete ? output.stdout.toString("utf8").trim() : "";
    return back !== "" && isSame(path.resolve(folder, back), root);
}

function isSame(path: string, root: string): boolean {
    return resolveRealPath(path) === root;
}
