/** How long the end of a body is waited for after its last event, in milliseconds. */
const GRACE = 250;

/**
 * A stream of events that is read past its last one, to the end of the body. The end mostly comes a
 * packet later; who leaves before it breaks the connection, and the next request has to make a new
 * one.
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

async function withinGrace(end: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, GRACE);
    });
    // The reply is complete: what comes after it cannot make it fail.
    await Promise.race([end.catch(() => undefined), late]);
    clearTimeout(timer);
}
