import { within } from "../base/waiting.js";
import { NorthError } from "../base/north-error.js";
import { incompleteStream, toFailure, type Vendor } from "./failures.js";
import { withinGrace } from "./read-to-end.js";

/** The time limits of a request, in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the answer begins, and then until its first byte. */
    readonly requestMs: number;
    /** Without a byte in the middle of the answer. */
    readonly silenceMs: number;
}

/** Vendors and routers send a sign of life now and then while a model thinks in silence. */
export const LIMITS: Limits = { requestMs: 600_000, silenceMs: 60_000 };

/**
 * `Provider.silenceMs` of a provider that uses `openServer`, in milliseconds: bytes are watched
 * there, and a vendor that sends pings while its model thinks is alive.
 */
export const EVENT_SILENCE = 600_000;

/** For an SDK that insists on a timeout: the longest one of a timer, since `fetch` has limits. */
export const NO_TIMEOUT = 2 ** 31 - 1;

/** The longest answers, 128,000 tokens in an event of 400 bytes each, stay below. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** An error needs a sentence; the rest of its body is not read. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * A `fetch` that rejects with `timeout` when no answer begins, and whose answers fail with `timeout`
 * when they fall silent and with `incomplete-stream` beyond 64 MB. Bytes are watched and not events;
 * the time in which the reader pauses does not count. The body of an error ends after 64 KB. A body
 * that is left at its last event is read to its end, so that the connection can be used again.
 */
export function withLimits(inner: typeof fetch, limits: Limits, vendor: Vendor): typeof fetch {
    return async (input, init) => {
        const response = await begin(inner, limits, vendor)(input, init);
        if (response.body === null) return response;
        const { ok, status, statusText, headers } = response;
        const body = watch(response.body, limits, ok);
        return new Response(body, { status, statusText, headers });
    };
}

function begin(inner: typeof fetch, { requestMs }: Limits, vendor: Vendor): typeof fetch {
    return async (input, init) => {
        const late = new AbortController();
        const timer = setTimeout(
            () => late.abort(toFailure({ code: "timeout" }, vendor)),
            requestMs
        );
        const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        const signals = [late.signal, ...(given ? [given] : [])];
        try {
            return await inner(input, { ...init, signal: AbortSignal.any(signals) });
        } finally {
            clearTimeout(timer);
        }
    };
}

function watch(
    body: ReadableStream<Uint8Array>,
    { requestMs, silenceMs }: Limits,
    isReply: boolean
): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let limit = requestMs;
    let left = isReply ? MAX_REPLY_BYTES : MAX_ERROR_BYTES;
    return new ReadableStream<Uint8Array>(
        {
            async pull(controller) {
                const { done, value } = await readWithin(limit, reader);
                limit = silenceMs;
                if (done) return controller.close();
                if (value.byteLength <= left) {
                    left -= value.byteLength;
                    return controller.enqueue(value);
                }
                reader.cancel().catch(() => undefined);
                if (isReply) throw tooLong();
                controller.enqueue(value.subarray(0, left));
                controller.close();
            },
            async cancel(reason) {
                await withinGrace(reader.read());
                await reader.cancel(reason);
            },
        },
        { highWaterMark: 0 }
    );
}

function tooLong(): NorthError {
    const { code, message } = incompleteStream("The reply exceeded 64 MB.");
    return new NorthError(code, message, ["Choose another model with /model."]);
}

function readWithin(
    limitMs: number,
    reader: ReadableStreamDefaultReader<Uint8Array>
): ReturnType<typeof reader.read> {
    return within(limitMs, reader.read(), () => {
        const seconds = Math.round(limitMs / 1_000);
        const error = new NorthError(
            "timeout",
            `The model's reply stopped for ${seconds} s.`,
            ["Try again."],
            { retryable: true }
        );
        // Closes the connection; nobody waits for how that goes.
        reader.cancel(error).catch(() => undefined);
        throw error;
    });
}
