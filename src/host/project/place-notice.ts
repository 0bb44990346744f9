import { readdir, realpath } from "node:fs/promises";
import type { Project } from "./open-project.js";

type StartFolder = Pick<Project, "root" | "isRepository">;

/** What somebody should know who starts North in a folder that is no repository. */
export async function placeNotices({ root, isRepository }: StartFolder, home?: string) {
    if (isRepository) return [];
    if (await isHome(root, home)) {
        return [
            "This is your home folder, and all of it is the project. Start in a project, or name one with --path.",
        ];
    }
    return ["Not a git repository: this folder is the project. /undo takes edits back here, too."];
}

/** Whether there is something to get to know, and it is one project. */
export async function isWorthLearning({ root }: StartFolder, home?: string): Promise<boolean> {
    const names = await readdir(root);
    return names.some((name) => !OWN_FOLDERS.has(name)) && !(await isHome(root, home));
}

const OWN_FOLDERS = new Set([".git", ".north"]);

async function isHome(root: string, home?: string): Promise<boolean> {
    if (!home) return false;
    return root === (await realpath(home).catch(() => home));
}
