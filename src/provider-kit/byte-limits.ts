import { NorthError } from "../base/north-error.js";

/** The limits of a request, in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the answer begins, and then until its first byte. */
    readonly requestMs: number;
    /** Without a byte in the middle of the answer. */
    readonly silenceMs: number;
}

/** Vendors and routers send a sign of life now and then while a model thinks in silence. */
export const LIMITS: Limits = { requestMs: 600_000, silenceMs: 60_000 };

/**
 * How long a connection that watches bytes may go without an event, in milliseconds: a vendor that
 * sends pings while its model thinks is alive.
 */
export const EVENT_SILENCE = 600_000;

/**
 * A `fetch` whose answers fail with `timeout` when they fall silent. It watches bytes and not
 * events, and a reader that pauses is not counted.
 */
export function withByteLimits(inner: typeof fetch, limits: Limits): typeof fetch {
    return async (input, init) => {
        const response = await inner(input, init);
        if (response.body === null) return response;
        const { status, statusText, headers } = response;
        return new Response(watch(response.body, limits), { status, statusText, headers });
    };
}

function watch(
    body: ReadableStream<Uint8Array>,
    { requestMs, silenceMs }: Limits
): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let limit = requestMs;
    return new ReadableStream<Uint8Array>(
        {
            async pull(controller) {
                const { done, value } = await within(limit, reader);
                limit = silenceMs;
                if (done) controller.close();
                else controller.enqueue(value);
            },
            cancel: (reason) => reader.cancel(reason),
        },
        { highWaterMark: 0 }
    );
}

function within(
    limitMs: number,
    reader: ReadableStreamDefaultReader<Uint8Array>
): ReturnType<typeof reader.read> {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
            const seconds = Math.round(limitMs / 1_000);
            const error = new NorthError(
                "timeout",
                `The model's reply stopped for ${seconds} s.`,
                ["Try again."],
                { retryable: true }
            );
            reject(error);
            // Closes the connection; nobody waits for how that goes.
            reader.cancel(error).catch(() => undefined);
        }, limitMs);
        reader
            .read()
            .then(resolve, reject)
            .finally(() => clearTimeout(timer));
    });
}
