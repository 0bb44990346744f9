import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { errorCode } from "../../base/system-error.js";

/** Git's own lock of an index: meanwhile no git command writes it. */
export interface IndexLock {
    /** Replaces the index. */
    commit(file: string): void;
    release(): void;
}

/** Shorter than any index. While git works, its own lock is empty. */
const OWN = "North\n";

/** `undefined` if somebody else holds it. */
export function lockIndex(index: string): IndexLock | undefined {
    const lock = lockOf(index);
    try {
        writeFileSync(lock, OWN, { flag: "wx" });
    } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
        return undefined;
    }
    let isHeld = true;
    return {
        commit(file) {
            // Never empty, as git's own is.
            writeFileSync(lock, readFileSync(file), { flag: "r+" });
            renameSync(lock, index);
            isHeld = false;
        },
        release() {
            if (isHeld) rmSync(lock, { force: true });
        },
    };
}

/** Removes the lock of a killed process, which holds `OWN` or what was written of the planned index. */
export function removeLock(index: string, planned: string): void {
    const lock = lockOf(index);
    if (!existsSync(lock)) return;
    const [held, whole] = [readFileSync(lock), readFileSync(planned)];
    const isPart = held.length > 0 && whole.subarray(0, held.length).equals(held);
    if (isPart || held.equals(Buffer.from(OWN))) rmSync(lock);
}

export function lockOf(index: string): string {
    return `${index}.lock`;
}
