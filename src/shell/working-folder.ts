import { constants, realpathSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../base/north-error.js";
import { isFolder, isInside } from "../base/paths.js";

/** Security: whether a path that a command reported is a folder of the project by its real name. */
export function isRealFolderIn(root: string, candidate: string): boolean {
    if (!path.isAbsolute(candidate) || !isInside(root, candidate) || !isFolder(candidate)) {
        return false;
    }
    return realpathSync(candidate) === candidate;
}

/** Rejects with `outside-repository` (also by a link), `not-found`, `not-a-folder`, `not-readable`. */
export async function resolveInside(root: string, cwd: string): Promise<string> {
    const real = await realpath(path.resolve(root, cwd)).catch((cause: unknown) => {
        const next = ["List the folders with list_folder."];
        throw new NorthError("not-found", `There is no folder ${cwd}.`, next, { cause });
    });
    if (!isInside(root, real)) {
        throw new NorthError("outside-repository", `${cwd} is outside the repository.`, [
            "Pass a folder of the repository, or omit cwd.",
        ]);
    }
    if (!(await stat(real)).isDirectory()) {
        throw new NorthError("not-a-folder", `${cwd} is not a folder.`);
    }

    await access(real, constants.X_OK).catch((cause: unknown) => {
        throw new NorthError("not-readable", `No permission to enter ${cwd}.`, [], { cause });
    });
    return real;
}
