import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { errorCode } from "../../base/system-error.js";

/** Git's own lock of an index: meanwhile no git command writes it. */
export interface IndexLock {
    /** Replaces the index. */
    commit(file: string): void;
    release(): void;
}

/** `undefined` if somebody else holds it. */
export function lockIndex(index: string): IndexLock | undefined {
    const lock = lockOf(index);
    try {
        writeFileSync(lock, "", { flag: "wx" });
    } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
        return undefined;
    }
    let isHeld = true;
    return {
        commit(file) {
            copyFileSync(file, lock);
            renameSync(lock, index);
            isHeld = false;
        },
        release() {
            if (isHeld) rmSync(lock, { force: true });
        },
    };
}

/** Removes the lock of a killed process, if it holds nothing but the index that was planned. */
export function removeLock(index: string, planned: string): void {
    const lock = lockOf(index);
    if (!existsSync(lock)) return;
    const [held, whole] = [readFileSync(lock), readFileSync(planned)];
    if (whole.subarray(0, held.length).equals(held)) rmSync(lock);
}

export function lockOf(index: string): string {
    return `${index}.lock`;
}
