/** How long the end of a body is waited for after its last event, in milliseconds. */
const GRACE = 250;

/** What the SDK cancels a body with when it has read the last event. */
const READ = "done";

/**
 * A `fetch` whose answers are read to their end. The SDK leaves each at its last event, which would
 * break the connection, and the next request would have to make a new one.
 */
export function readingToTheEnd(inner: typeof fetch): typeof fetch {
    return async (input, init) => {
        const response = await inner(input, init);
        if (response.body === null) return response;
        const { status, statusText, headers } = response;
        return new Response(whole(response.body), { status, statusText, headers });
    };
}

function whole(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>(
        {
            async pull(controller) {
                const { done, value } = await reader.read();
                if (done) controller.close();
                else controller.enqueue(value);
            },
            async cancel(reason) {
                if (reason === READ) await endWithin(GRACE, reader);
                await reader.cancel(reason);
            },
        },
        { highWaterMark: 0 }
    );
}

async function endWithin(
    milliseconds: number,
    reader: ReadableStreamDefaultReader<Uint8Array>
): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds);
    });
    // The reply is complete: what comes after it cannot make it fail.
    const next = reader.read().catch(() => undefined);
    await Promise.race([next, late]);
    clearTimeout(timer);
}
