import { setImmediate } from "node:timers/promises";
import { NorthError } from "./north-error.js";

/** Short enough that a keystroke or a cancel does not wait noticeably. */
const SLICE_MS = 10;

/** `breathe` lets other work run once a slice is used up, and ends cancelled or overlong work. */
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

    /** Whether it is time to call `breathe`; free of promises, for tight loops. */
    get isDue(): boolean {
        return performance.now() >= this.sliceEnd;
    }

    /** Rejects with the reason of the signal, or with `timeout`. */
    async breathe(): Promise<void> {
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
