import type { ModelEvent } from "../../../plugin/index.js";

/** How long text is gathered before it is stored and shown as one piece, in milliseconds. */
const WINDOW = 25;

const LATE = Symbol("late");

/**
 * Joins pieces of text that arrive close together, so that a fast stream costs a record for each
 * window and not for each token. The first piece is never held back. Ends with the signal's reason
 * as soon as it aborts, whatever the source does.
 */
export async function* coalesced(
    source: AsyncIterable<ModelEvent>,
    signal: AbortSignal
): AsyncGenerator<ModelEvent, void> {
    const iterator = source[Symbol.asyncIterator]();
    const next = () => untilAborted(iterator.next(), signal);
    let lastShown = 0;
    try {
        let pending = next();
        for (;;) {
            const result = await pending;
            if (result.done) return;
            const event = result.value;
            pending = next();
            // Awaited in the next round; an abort in between must not count as unhandled.
            pending.catch(() => {});
            if (event.type !== "text" && event.type !== "thinking") {
                yield event;
                continue;
            }
            const gathered = await gather(event, pending, next, lastShown + WINDOW);
            pending = gathered.pending;
            lastShown = performance.now();
            yield gathered.event;
        }
    } finally {
        // Not awaited: a source that hangs must not hold up a cancel.
        void Promise.resolve(iterator.return?.()).catch(() => {});
    }
}

type TextEvent = Extract<ModelEvent, { type: "text" | "thinking" }>;
type Pending = Promise<IteratorResult<ModelEvent>>;

async function gather(
    first: TextEvent,
    following: Pending,
    next: () => Pending,
    until: number
): Promise<{ event: TextEvent; pending: Pending }> {
    const texts = [first.text];
    let pending = following;
    for (;;) {
        const remaining = until - performance.now();
        if (remaining <= 0) break;
        const result = await before(pending, remaining).catch(() => LATE);
        if (typeof result === "symbol" || result.done || result.value.type !== first.type) break;
        texts.push(result.value.text);
        pending = next();
        pending.catch(() => {});
    }
    return { event: { type: first.type, text: texts.join("") }, pending };
}

async function before<Value>(promise: Promise<Value>, milliseconds: number) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
        timer = setTimeout(() => resolve(LATE), milliseconds);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Rejects with the signal's reason when it aborts before the promise settles. */
export async function untilAborted<Value>(
    promise: PromiseLike<Value>,
    signal: AbortSignal
): Promise<Value> {
    // What is given up may still fail, with nobody left to hear of it.
    promise.then(undefined, () => {});
    signal.throwIfAborted();
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
        return await Promise.race([promise, aborted]);
    } finally {
        if (onAbort) signal.removeEventListener("abort", onAbort);
    }
}
