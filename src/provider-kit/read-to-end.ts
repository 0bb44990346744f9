import { within } from "../base/waiting.js";

/** How long to wait for the end of a body after its last event, in milliseconds. */
const GRACE = 250;

/**
 * The events of a stream up to the last one, read to the end of the body. The end mostly comes a
 * packet later; a reader that leaves before breaks the connection, and the next request has to open
 * another one.
 */
export async function* readToEnd<Event>(
    events: AsyncIterable<Event>,
    isLast: (event: Event) => boolean
): AsyncGenerator<Event, void> {
    const iterator = events[Symbol.asyncIterator]();
    try {
        for (;;) {
            const next = await iterator.next();
            if (next.done) return;
            const isOver = isLast(next.value);
            if (isOver) await withinGrace(iterator.next());
            yield next.value;
            if (isOver) return;
        }
    } finally {
        // Not awaited: where the end did not come in time, nobody waits for it.
        void iterator.return?.().catch(() => undefined);
    }
}

/** Waits for the end of a body, for a moment; never rejects. */
export async function withinGrace(end: Promise<unknown>): Promise<void> {
    // The reply is complete: what comes after it cannot make it fail.
    const ended = end.catch(() => undefined);
    await within(GRACE, ended, () => {});
}
