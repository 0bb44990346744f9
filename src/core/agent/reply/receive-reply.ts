import type { ModelEvent, ModelRequest } from "../../../plugin/index.js";
import { isExpectedError, NorthError } from "../../../base/north-error.js";
import { within } from "../../../base/waiting.js";
import { eventProblem } from "./check-event.js";
import { coalesced } from "./coalesce.js";
import type { Turn } from "../turn.js";

/** How long a reply may say nothing before its first event, in milliseconds. */
const FIRST_EVENT = 600_000;
/** Between two events, unless the provider grants more. */
const SILENCE = 60_000;

/**
 * Sends a request and yields the reply. Every wait has an end: a reply that falls silent rejects
 * with `timeout`, a turn that is stopped with its signal's reason, and whatever else a provider does
 * that it must not do with `provider-failed`.
 */
export async function* receiveReply(
    turn: Pick<Turn, "provider" | "connection" | "signal" | "log">,
    request: ModelRequest,
    firstEventMs = FIRST_EVENT
): AsyncGenerator<ModelEvent, void> {
    const { provider, connection, signal } = turn;
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
                const result = await within(limit, iterator.next(), () => {
                    const error = tooSilent(displayName, limit);
                    silence.abort(error);
                    throw error;
                }).catch((error: unknown) => {
                    throw isExpectedError(error) || signal.aborted ? error : failed(turn, error);
                });
                limit = silenceMs;
                const problem = result.done ? undefined : eventProblem(result.value);
                if (problem !== undefined) throw failed(turn, new TypeError(`it sent ${problem}`));
                return result;
            },
            return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
        }),
    };
    yield* coalesced(heard, signal);
}

/** A bug of the provider, which may be a plugin's. */
function failed({ provider, log }: Pick<Turn, "provider" | "log">, error: unknown): NorthError {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    log.event("error", "provider_failed", { provider: provider.id, stack });
    const [reason = ""] = message.split("\n");
    return new NorthError(
        "provider-failed",
        `${provider.displayName} has a fault: ${reason.replace(/\.$/, "")}.`,
        ["Choose another model with /model. north.log has the details."],
        { cause: error }
    );
}

function tooSilent(name: string, limitMs: number): NorthError {
    return new NorthError(
        "timeout",
        `Nothing came from ${name} for ${limitMs / 1_000} s.`,
        ["Wait a little and try again, or choose another model with /model."],
        { retryable: true }
    );
}
