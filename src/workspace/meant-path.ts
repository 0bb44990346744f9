import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { isInside } from "../base/places.js";

/**
 * A path as models write it: `/a` and `repository-name/a` are `a` where only that exists. Whether it may
 * be used is for others to say.
 */
export function meantPath(root: string, path: string): string {
    if (path.includes("\0")) return path;
    const isAbsolute = path.startsWith("/");
    if (isAbsolute && isInside(root, path)) return path;
    const steps = path.replace(/^\.?\/+/, "");
    const inName = `${basename(root)}/`;
    const readings = [
        ...(isAbsolute ? [steps] : []),
        ...(steps.startsWith(inName) ? [steps.slice(inName.length)] : []),
    ].filter((reading) => isInside(root, join(root, reading)));
    if (readings.length === 0 || exists(isAbsolute ? path : join(root, path))) return path;
    return readings.find((reading) => reading !== "" && exists(join(root, reading))) ?? path;
}

function exists(path: string): boolean {
    try {
        return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch {
        // A path that cannot be checked stays as written.
        return false;
    }
}
