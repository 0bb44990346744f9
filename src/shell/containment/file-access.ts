import { constants, existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { canAccess } from "../../base/paths.js";

/** Only root can become another user, in a real run too. */
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

/** Whether this user may give a file to somebody: root to anyone, others to a group of theirs. */
export function mayGive(): boolean {
    return isRoot() || (process.getgroups?.() ?? []).some((group) => group !== process.getgid?.());
}

/**
 * Whether a file belongs to another user or group, which a namespace does not know. A new one gets
 * the group of a shared folder.
 */
export function isOthers(location: string): boolean {
    const owner =
        attempt(() => lstatSync(location)) ?? attempt(() => lstatSync(path.dirname(location)));
    if (owner === undefined) return false;
    return owner.uid !== process.getuid?.() || owner.gid !== process.getgid?.();
}
