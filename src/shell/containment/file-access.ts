import { constants, existsSync, lstatSync } from "node:fs";
import path from "node:path";

/** Only root can become another user, in a real run too. */
import { canAccess } from "../../base/paths.js";
export function isRoot(): boolean {
    return process.getuid?.() === 0;
}

/** Whether this user may write a file, or create it with its folders. */
export function mayWrite(location: string): boolean {
    if (location === "/") return false;
    return existsSync(location)
        ? canAccess(location, constants.W_OK)
        : mayWrite(path.dirname(location));
}

/** Whether a file belongs to another user or group, which a namespace does not know. */
export function isOthers(location: string): boolean {
    try {
        const { uid, gid } = lstatSync(location);
        return uid !== process.getuid?.() || gid !== process.getgid?.();
    } catch {
        return false;
    }
}
