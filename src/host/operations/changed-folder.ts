import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { resolveRealPath } from "../../base/paths.js";
import { projectFolder } from "../../storage/files/directories.js";
import { findRoot } from "../../workspace/find-root.js";

/**
 * Where changes of a conversation in `folder` belong: there, or, if its task started from a commit
 * (`tasks/start-folder.ts`), in its checkout. Rejects with `other-repository` if that is not around
 * the current folder.
 */
export async function changedFolder(dataFolder: string, folder: string): Promise<string> {
    const project = path.dirname(path.dirname(folder));
    const projects = resolveRealPath(path.dirname(projectFolder(dataFolder, folder)));
    if (path.dirname(project) !== projects) return folder;
    const { root } = await findRoot(process.cwd());
    if (path.basename(project) === path.basename(projectFolder(dataFolder, root))) return root;
    throw new NorthError(
        "other-repository",
        "The task started from a commit of another checkout.",
        ["Run this in the checkout of the task, or name that with --path."]
    );
}
