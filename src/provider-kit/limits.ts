import { afterTime, within } from "../base/waiting.js";
import { NorthError } from "../base/north-error.js";
import { incompleteStream, toFailure, type Vendor } from "./failures.js";
import { withinGrace } from "./read-to-end.js";

/** Time limits of a request in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the response starts, and again until its first byte. */
    readonly requestMs: number;
    /** Between two bytes of the response. */
    readonly silenceMs: number;
}

/** Vendors and routers send pings while a model thinks silently. */
export const LIMITS: Limits = limitsFor(60_000);

/** A server that may be silent for longer also takes longer to start. */
export function limitsFor(silenceMs: number): Limits {
    return { requestMs: 2 * silenceMs, silenceMs };
}

/**
 * `Provider.silenceMs` for providers that use `openServer`, in milliseconds. `openServer` already
 * watches for bytes, and a vendor that sends pings while its model thinks is alive.
 */
export const EVENT_SILENCE = 600_000;

/** For SDKs that require a timeout: a timer's maximum, because `fetch` has its own limits. */
export const NO_TIMEOUT = 2 ** 31 - 1;

/** The longest replies, 128,000 tokens in events of 400 bytes, stay below this. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** An error needs one sentence; the rest of its body is not read. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Wraps `fetch`: rejects with `timeout` if no response starts, and fails the body with `timeout`
 * when it goes silent and with `incomplete-stream` beyond 64 MB. Watches bytes, not events; time
 * while the reader pauses does not count. An error body ends after 64 KB. A body abandoned at its
 * last event is read to its end, so that the connection can be reused.
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
        const end = afterTime(requestMs, () => late.abort(toFailure({ code: "timeout" }, vendor)));
        const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        const signals = [late.signal, ...(given ? [given] : [])];
        try {
            return await inner(input, { ...init, signal: AbortSignal.any(signals) });
        } finally {
            end();
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
    return new NorthError(code, message, ["Choose another model with /model or --model."]);
}

function readWithin(
    limitMs: number,
    reader: ReadableStreamDefaultReader<Uint8Array>
): ReturnType<typeof reader.read> {
    return within(limitMs, reader.read(), () => {
        const seconds = Math.round(limitMs / 1_000);
        const error = new NorthError(
            "timeout",
            `The model's reply stalled for ${seconds} s.`,
            ["Try again."],
            { retryable: true }
        );
        // Closes the connection; the outcome does not matter.
        reader.cancel(error).catch(() => undefined);
        throw error;
    });
}
