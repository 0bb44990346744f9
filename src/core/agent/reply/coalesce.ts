import { untilAborted, within } from "../../../base/waiting.js";
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
        const result = await within(remaining, pending, () => LATE).catch(() => LATE);
        if (typeof result === "symbol" || result.done || result.value.type !== first.type) break;
        texts.push(result.value.text);
        pending = next();
        pending.catch(() => {});
    }
    return { event: { type: first.type, text: texts.join("") }, pending };
}
