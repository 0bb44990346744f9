import { lstat } from "node:fs/promises";
import { describeOwner, isGone, isOwn, OWNER, ownerProcess } from "../../base/owner.js";

// Temporary files of an apply carry its owner's id, so that other processes can tell files in use
// from leftovers of a killed process.

const STAGED_NAME = new RegExp(`^\\.north-(${OWNER.source})\\.\\d+\\.(?:staged|kept)$`, "u");

const MAX_APPLY_MS = 60 * 60 * 1000;

const running = new Set<string>();

export async function beginApply(): Promise<string> {
    const id = await describeOwner();
    running.add(id);
    return id;
}

/** From now on, files with this id may be swept. */
export function endApply(id: string): void {
    running.delete(id);
}

/** The temporary name beside a target: `staged` is the new content, `kept` the original. */
export function stagedName(id: string, index: number, kind: "staged" | "kept"): string {
    return `.north-${id}.${index}.${kind}`;
}

export function ownerOf(name: string): string | undefined {
    return STAGED_NAME.exec(name)?.[1];
}

/** Whether this apply's process is dead. `path`: what it left, which may be gone. */
export async function isAbandoned(id: string, path: string): Promise<boolean> {
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined || running.has(id) || ownerProcess(id) === undefined) return false;
    return isOwn(id) || isGone(id, () => Date.now() - stats.ctimeMs, MAX_APPLY_MS);
}
