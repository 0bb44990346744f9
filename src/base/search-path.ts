import { constants, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { attempt } from "./attempt.js";
import { canAccess, isFolder, isInside } from "./paths.js";

/** Used in place of an empty PATH, which would mean the current folder. */
const STANDARD = ["/usr/bin", "/bin"];

/** The projects that this process opened. */
const projects = new Set<string>();

/**
 * Programs that North itself runs are never taken from this project from now on: `npx`, direnv and
 * virtual environments put its folders on PATH. Not if it contains HOME, where the user's own are.
 */
export function distrustPrograms(root: string): void {
    if (!isInside(root, homedir())) projects.add(root);
}

/**
 * PATH without relative entries, and without folders of an opened project, through which a
 * repository's file could pose as a program.
 */
export function absoluteSearchPath(searchPath = process.env.PATH ?? ""): string {
    const folders = searchPath
        .split(delimiter)
        .filter((folder) => isAbsolute(folder) && !isDistrusted(folder));
    return (folders.length > 0 ? folders : STANDARD).join(delimiter);
}

/** Where a program is that this process may run; `undefined` if no folder of the path has it. */
export function findProgram(name: string, searchPath: string): string | undefined {
    const places = searchPath.split(delimiter).map((folder) => join(folder, name));
    return places.find((place) => canAccess(place, constants.X_OK) && !isFolder(place));
}

/** In a project, or what `npx` adds for a folder around one. */
function isDistrusted(folder: string): boolean {
    const names = [folder, realPathOf(folder)];
    return [...projects].some((root) =>
        names.some((name) => {
            const around = /^(.*)\/node_modules\/\.bin\/?$/.exec(name)?.[1];
            return isInside(root, name) || (around !== undefined && isInside(around || "/", root));
        })
    );
}

function realPathOf(folder: string): string {
    return attempt(() => realpathSync.native(folder), join(folder));
}
