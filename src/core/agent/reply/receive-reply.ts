import * as Type from "typebox";
import { isFields } from "../../../base/fields.js";
import { checker } from "../../../base/json-schema.js";
import { isExpectedError, NorthError } from "../../../base/north-error.js";
import { untilAborted, within } from "../../../base/waiting.js";
import type { ModelEvent, ModelRequest, StopReason, Tier, Usage } from "../../../plugin/index.js";
import { inTier, mergedUsage, priceOf } from "../../costs/price.js";
import type { ModelAccess, Turn } from "../turn.js";

const text = Type.String();
const name = Type.String({ minLength: 1 });
const REASONS = ["end", "tool-calls", "max-output", "context-overflow", "paused", "refused"];

const EVENTS: Readonly<Record<ModelEvent["type"], Type.TProperties>> = {
    text: { text },
    thinking: { text },
    "thinking-end": {},
    "tool-call-start": { callId: name, name },
    "tool-call-delta": { callId: name, text },
    "tool-call": { callId: name, name, input: Type.Object({}) },
    usage: {
        usage: Type.Record(text, Type.Union([Type.Number({ minimum: 0 }), Type.Undefined()])),
        tier: Type.Optional(Type.Enum(["flex"])),
    },
    "web-search": {
        queries: Type.Array(text),
        sources: Type.Array(Type.Object({ url: name, title: Type.Optional(text) })),
    },
    stop: { reason: Type.Enum(REASONS) },
};

const checkers = new Map(
    Object.entries(EVENTS).map(([type, fields]) => [type, checker(Type.Object(fields))])
);

/** How long to gather text before storing and showing it as one piece, in milliseconds. */
const WINDOW_MS = 25;

const TIMED_OUT = Symbol("late");

type TextEvent = Extract<ModelEvent, { type: "text" | "thinking" }>;
type Pending = Promise<IteratorResult<ModelEvent>>;

/** Maximum silence before the first event, in milliseconds. */
const FIRST_EVENT_TIMEOUT_MS = 600_000;
/** Maximum silence between two events, unless the provider sets its own. */
const SILENCE_TIMEOUT_MS = 60_000;

/** Receives a reply and notifies observers of its start and end. */
export async function* observedReply(
    turn: ModelAccess,
    request: ModelRequest,
    requestId: string
): AsyncGenerator<ModelEvent, void> {
    const { conversation, runtime, signal } = turn;
    const { info: model, provider, tier: asked } = turn.model;
    const names = { provider: provider.id, model: model.id };
    conversation.observe({ type: "request-started", at: runtime.now(), requestId, ...names });
    let usage: Usage = {};
    let tier: Tier | undefined;
    let stopReason: StopReason | undefined;
    let errorCode: string | undefined;
    try {
        const inItsTier = asked && model.prices?.flex ? { ...request, tier: asked } : request;
        for await (const event of receiveReply(turn, inItsTier)) {
            if (event.type === "usage") {
                usage = mergedUsage(usage, event.usage);
                tier = event.tier;
            }
            if (event.type === "stop") stopReason = event.reason;
            yield event;
        }
    } catch (error) {
        errorCode = signal.aborted ? "cancelled" : errorCodeOf(error);
        throw error;
    } finally {
        conversation.observe({
            type: "request-finished",
            at: runtime.now(),
            requestId,
            usage,
            costUsd: priceOf(usage, inTier(model, tier)),
            ...(stopReason && { stopReason }),
            errorCode,
        });
    }
}

/** For observers, which get codes but no messages. */
export function errorCodeOf(error: unknown): string {
    return isExpectedError(error) ? error.code : "internal-error";
}

/**
 * Sends a request and yields the reply. Rejects with `timeout` if the reply goes silent, with the
 * signal's reason if the turn is stopped, and with `provider-failed` on a contract violation.
 */
export async function* receiveReply(
    turn: Pick<Turn, "model" | "signal" | "log">,
    request: ModelRequest,
    firstEventMs = FIRST_EVENT_TIMEOUT_MS
): AsyncGenerator<ModelEvent, void> {
    const { provider, connection } = turn.model;
    const { signal } = turn;
    const { silenceMs = SILENCE_TIMEOUT_MS, displayName } = provider;
    const silence = new AbortController();
    const events = connection.stream(request, {
        signal: AbortSignal.any([signal, silence.signal]),
    });
    const iterator = events[Symbol.asyncIterator]();
    let limit = Math.max(firstEventMs, silenceMs);
    const checkedEvents: AsyncIterable<ModelEvent> = {
        [Symbol.asyncIterator]: () => ({
            next: async () => {
                const result = await within(limit, untilAborted(iterator.next(), signal), () => {
                    const error = silenceTimeout(displayName, limit);
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
    yield* coalesced(checkedEvents, signal);
}

/** Reports a bug in the provider, which may be a plugin's. */
function failed(
    { model: { provider }, log }: Pick<Turn, "model" | "log">,
    error: unknown
): NorthError {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    log.event("error", "provider_failed", { provider: provider.id, stack });
    const [reason = ""] = message.split("\n");
    return new NorthError(
        "provider-failed",
        `The provider ${provider.displayName} has a bug: ${reason.replace(/\.$/, "")}.`,
        [
            "Choose another model with /model or --model.",
            "`north tools` names the provider's plugin, and north.log has the details.",
        ],
        { cause: error }
    );
}

function silenceTimeout(name: string, limitMs: number): NorthError {
    return new NorthError(
        "timeout",
        `No response from ${name} for ${limitMs / 1_000} s.`,
        ["Wait a moment and try again, or choose another model with /model or --model."],
        { retryable: true }
    );
}

/**
 * Joins text that arrives close together, so that a fast stream costs one record per window, not per token. Never
 * holds back the first piece. Ends with the signal's reason as soon as it aborts, whatever the source does.
 */
async function* coalesced(
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
            // Awaited in the next round; until then an abort must not count as unhandled.
            pending.catch(() => {});
            if (event.type !== "text" && event.type !== "thinking") {
                yield event;
                continue;
            }
            const gathered = await gather(event, pending, next, lastShown + WINDOW_MS);
            pending = gathered.pending;
            lastShown = performance.now();
            yield gathered.event;
        }
    } finally {
        // Not awaited: a source that hangs must not hold up a cancel.
        void Promise.resolve(iterator.return?.()).catch(() => {});
    }
}

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
        const result = await within(remaining, pending, () => TIMED_OUT).catch(() => TIMED_OUT);
        if (typeof result === "symbol" || result.done || result.value.type !== first.type) break;
        texts.push(result.value.text);
        pending = next();
        pending.catch(() => {});
    }
    return { event: { type: first.type, text: texts.join("") }, pending };
}

/** What is wrong with a provider's event, as a clause; `undefined` if nothing. */
function eventProblem(event: unknown): string | undefined {
    const type = isFields(event) && typeof event.type === "string" ? event.type : "";
    const known = checkers.get(type);
    if (!known) return "something that is not a reply event";
    if (known.fits(event)) return undefined;
    return `an event \`${type}\` in which ${known.problem(event) ?? "something is wrong"}`;
}
