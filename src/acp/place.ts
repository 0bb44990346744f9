import { realpathSync } from "node:fs";
import path from "node:path";

/** The root as the editor names it, possibly through a symlink. */
export function editorRoot(folder: string, root: string): string {
    const below = path.relative(root, real(folder));
    if (below === "") return folder;
    const end = `${path.sep}${below}`;
    return folder.endsWith(end) ? folder.slice(0, -end.length) : root;
}

function real(folder: string): string {
    try {
        return realpathSync(folder);
    } catch {
        return folder;
    }
}
