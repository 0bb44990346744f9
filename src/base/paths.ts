import { accessSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { attempt } from "./attempt.js";

/** Whether an absolute path is a folder or inside it, lexically. */
export function isInside(folder: string, candidate: string): boolean {
    return !leavesFolder(relative(folder, candidate));
}

/** Whether a relative path leaves the folder it starts in. */
export function leavesFolder(inside: string): boolean {
    return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

/** The path with all links resolved; `undefined` if it cannot be reached. */
export function resolveRealPath(path: string): string | undefined {
    return attempt(() => realpathSync(path));
}

/** The user's own folder, links resolved. Users of containers often have none. */
export function realHome({ HOME = "" }: NodeJS.ProcessEnv): string | undefined {
    const home = isAbsolute(HOME) ? resolveRealPath(HOME) : undefined;
    return home === "/" ? undefined : home;
}

/** The absolute path of a file that is named from a folder, or with `~/` from the user's own. */
export function absolutePath(name: string, folder: string, home = homedir()): string {
    return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(folder, name);
}

/** The folders above a path that is relative to a root, outermost first, without the root. */
export function foldersAbove(path: string): readonly string[] {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}

/** Whether there is a folder, through links too. */
export function isFolder(path: string): boolean {
    return attempt(() => statSync(path).isDirectory(), false);
}

/** Whether this process may use a path in this way, such as `constants.X_OK`. */
export function canAccess(path: string, mode?: number): boolean {
    return attempt(() => (accessSync(path, mode), true), false);
}
