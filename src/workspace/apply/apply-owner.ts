import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { errorCode } from "../../base/system-error.js";

// What North leaves on the disk while it applies a change set carries the id of that apply, and the
// id says whose it is: which machine, which process. So whoever finds it later can tell what is
// still in use from what a killed process left behind.

const ID = /^([0-9a-f]{8})-(\d+)-[0-9a-f]{12}$/u;
const STAGED_NAME = /^\.north-([0-9a-f]{8}-\d+-[0-9a-f]{12})\.\d+\.(?:staged|kept)$/u;

/** Nothing is applied for an hour; a process id may by then belong to somebody else. */
const LONGEST_APPLY_MS = 60 * 60 * 1000;

const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
const running = new Set<string>();

/** Begins an apply; it counts as running until `endApply`. */
export function beginApply(): string {
    const id = `${host}-${process.pid}-${randomBytes(6).toString("hex")}`;
    running.add(id);
    return id;
}

/** From now on what carries this id may be swept. */
export function endApply(id: string): void {
    running.delete(id);
}

/** The name of a file beside its target: the new content, or the original until all is done. */
export function stagedName(id: string, index: number, kind: "staged" | "kept"): string {
    return `.north-${id}.${index}.${kind}`;
}

/** The id in such a name, if it is one. */
export function ownerOf(name: string): string | undefined {
    return STAGED_NAME.exec(name)?.[1];
}

/** Whether the process that began this apply is gone. `ageMs` is the age of what it left. */
export function isAbandoned(id: string, ageMs: number): boolean {
    const [, owner, pid] = ID.exec(id) ?? [];
    if (owner === undefined || pid === undefined || running.has(id)) return false;

    if (ageMs > LONGEST_APPLY_MS) return true;

    return owner === host && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

function isAlive(pid: number): boolean {
    try {
        process.kill(pid, 0);
        return true;
    } catch (error) {
        return errorCode(error) !== "ESRCH";
    }
}
