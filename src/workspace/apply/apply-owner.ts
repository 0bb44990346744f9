import { describeOwner, isGone, isOwn, OWNER, ownerProcess } from "../../base/owner.js";

// Temporary files of an apply carry its owner's id, so that another process can tell files in use
// from leftovers of a killed process.

const STAGED_NAME = new RegExp(`^\\.north-(${OWNER.source})\\.\\d+\\.(?:staged|kept)$`, "u");

/** Nothing is applied for an hour. */
const LONGEST_APPLY_MS = 60 * 60 * 1000;

const running = new Set<string>();

export async function beginApply(): Promise<string> {
    const id = await describeOwner();
    running.add(id);
    return id;
}

/** Files with this id may be swept from now on. */
export function endApply(id: string): void {
    running.delete(id);
}

/** The name of a file beside its target: the new content, or the original until all is done. */
export function stagedName(id: string, index: number, kind: "staged" | "kept"): string {
    return `.north-${id}.${index}.${kind}`;
}

export function ownerOf(name: string): string | undefined {
    return STAGED_NAME.exec(name)?.[1];
}

/** Whether the process of this apply is gone. `ageMs` is the age of its files. */
export async function isAbandoned(id: string, ageMs: number): Promise<boolean> {
    if (running.has(id) || ownerProcess(id) === undefined) return false;
    return isOwn(id) || isGone(id, () => ageMs, LONGEST_APPLY_MS);
}
