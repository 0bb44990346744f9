import { within } from "../base/waiting.js";

/** How long to wait for the end of a body after its last event, in milliseconds. */
const GRACE = 250;

/**
 * Yields the events up to the last one, then reads the body to its end. The end usually arrives a
 * packet later; stopping before it closes the connection, and the next request has to open another.
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
        // Not awaited: it may block until the body ends.
        void iterator.return?.().catch(() => undefined);
    }
}

/** Waits briefly for the end of a body; never rejects. */
export async function withinGrace(end: Promise<unknown>): Promise<void> {
    // The reply is complete, so a later error must not fail it.
    const ended = end.catch(() => undefined);
    await within(GRACE, ended, () => {});
}
