import { setImmediate } from "node:timers/promises";
import { NorthError } from "./north-error.js";

/** Short enough that a keystroke or a cancel does not wait noticeably. */
const SLICE_MS = 10;

/**
 * Splits long work into slices: `yieldToEventLoop` lets other work run after a slice, and rejects
 * if the work was cancelled or takes too long.
 */
export class Pacer {
    private sliceEnd = performance.now() + SLICE_MS;
    private readonly deadline: number;

    constructor(
        private readonly work: string,
        private readonly limitMs: number,
        private readonly signal?: AbortSignal
    ) {
        this.deadline = performance.now() + limitMs;
        signal?.throwIfAborted();
    }

    /** Whether `yieldToEventLoop` is due; synchronous, for tight loops. */
    get isDue(): boolean {
        return performance.now() >= this.sliceEnd;
    }

    /** Rejects with the signal's reason, or with `timeout`. */
    async yieldToEventLoop(): Promise<void> {
        await setImmediate();
        this.signal?.throwIfAborted();
        if (performance.now() > this.deadline) throw tooSlow(this.work, this.limitMs);
        this.sliceEnd = performance.now() + SLICE_MS;
    }
}

export function tooSlow(work: string, limitMs: number): NorthError {
    return new NorthError("timeout", `${work} took longer than ${limitMs / 1000} seconds.`, [
        "Narrow it down to a folder or a file.",
    ]);
}
