import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/** Whether an absolute path is a folder or lies in it, by its text. */
export function isInside(folder: string, candidate: string): boolean {
    return !leadsOut(relative(folder, candidate));
}

/** Whether a relative path leaves the folder it starts in. */
export function leadsOut(inside: string): boolean {
    return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
}

/** A place with all links resolved; `undefined` where there is nothing to be reached. */
export function realPlace(place: string): string | undefined {
    try {
        return realpathSync(place);
    } catch {
        return undefined;
    }
}
