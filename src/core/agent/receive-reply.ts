import type { ModelEvent, ModelRequest } from "../../plugin/index.js";
import { NorthError } from "../../plugin/north-error.js";
import { coalesced } from "./coalesce.js";
import type { Turn } from "./turn.js";

/** How long a reply may say nothing before its first event, in milliseconds. */
const FIRST_EVENT = 600_000;
/** Between two events, unless the provider grants more. */
const SILENCE = 60_000;

/**
 * Sends a request and yields the reply. Every wait has an end: a reply that falls silent rejects
 * with `timeout`, a turn that is stopped with its signal's reason, whatever the provider does.
 */
export async function* receiveReply(
    { provider, connection, signal }: Pick<Turn, "provider" | "connection" | "signal">,
    request: ModelRequest,
    firstEventMs = FIRST_EVENT
): AsyncGenerator<ModelEvent, void> {
    const { silenceMs = SILENCE, displayName } = provider;
    const silence = new AbortController();
    const events = connection.stream(request, {
        signal: AbortSignal.any([signal, silence.signal]),
    });
    const iterator = events[Symbol.asyncIterator]();
    let limit = Math.max(firstEventMs, silenceMs);
    const heard: AsyncIterable<ModelEvent> = {
        [Symbol.asyncIterator]: () => ({
            next: async () => {
                const event = await within(limit, iterator.next(), () => {
                    const error = tooSilent(displayName, limit);
                    silence.abort(error);
                    return error;
                });
                limit = silenceMs;
                return event;
            },
            return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
        }),
    };
    yield* coalesced(heard, signal);
}

/** The promise, or a rejection with what `giveUp` returns. */
function within<Value>(
    limitMs: number,
    promise: Promise<Value>,
    giveUp: () => Error
): Promise<Value> {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(giveUp()), limitMs);
        promise.then(resolve, reject).finally(() => clearTimeout(timer));
    });
}

function tooSilent(name: string, limitMs: number): NorthError {
    return new NorthError(
        "timeout",
        `Nothing came from ${name} for ${Math.round(limitMs / 1_000)} s.`,
        ["Wait a little and try again, or choose another model with /model."],
        { retryable: true }
    );
}
