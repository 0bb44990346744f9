import type { JsonObject, ModelEvent, ModelRequest, Usage } from "../../../plugin/index.js";
import { CallCollector } from "../../../provider-kit/call-collector.js";
import {
    FILTERED,
    incompleteStream,
    toFailure,
    type Vendor,
} from "../../../provider-kit/failures.js";
import { highestUsage, toUsageWithoutOverlap } from "../../../provider-kit/usage.js";
import { unparsedCall } from "./calls-as-text.js";
import type { Chunk, ChunkUsage, Delta } from "./chunk.js";
import { LeadingThinking, type ReplyPiece } from "./leading-thinking.js";
import { type ReasoningField, toExtrasMark, toFieldMark } from "./message-mapping.js";
import { joinedDetails, textOfDetail } from "./reasoning-details.js";

interface ReplyState {
    readonly calls: CallCollector;
    readonly leading: LeadingThinking;
    readonly details: JsonObject[];
    readonly texts: string[];
    /** The thinking block in progress, and the field it came in, if a field of its own. */
    thought: { readonly field?: ReasoningField } | undefined;
    hasRefused: boolean;
    reason: string | undefined;
    usage: Usage;
}

/**
 * Converts a server's stream to North's events. It is complete once it has given a finish reason;
 * some servers omit the end-of-stream marker. Otherwise throws `incomplete-stream`. Throws
 * `invalid-request` if the model's calls arrive as text.
 */
export async function* toModelEvents(
    chunks: AsyncIterable<Chunk>,
    request: ModelRequest,
    vendor: Vendor
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        calls: new CallCollector(request.messages),
        leading: new LeadingThinking(),
        details: [],
        texts: [],
        thought: undefined,
        hasRefused: false,
        reason: undefined,
        usage: {},
    };
    for await (const chunk of chunks) {
        yield* read(chunk, reply);
        // Usage comes after the finish reason in a chunk without choices, or with every chunk.
        if (chunk.usage) {
            reply.usage = highestUsage(reply.usage, toUsage(chunk.usage));
            yield { type: "usage", usage: reply.usage };
        }
    }
    if (reply.reason === undefined) throw incompleteStream();

    yield* add(reply.leading.end(), reply);
    yield* endThought(reply);
    if (reply.reason === "error") throw toFailure({ code: "server-error" }, vendor);
    if (reply.calls.isEmpty) {
        const failure = unparsedCall(reply.texts.join(""), request, vendor);
        if (failure !== undefined) throw failure;
    } else {
        yield* extrasOf(reply);
        yield* reply.calls.finished();
    }
    yield toStop(reply.reason, reply);
}

function* read({ choices }: Chunk, reply: ReplyState): Generator<ModelEvent> {
    const choice = choices?.[0];
    if (choice === undefined) return;
    if (choice.delta) yield* grow(choice.delta, reply);
    reply.reason = choice.finish_reason || reply.reason;
}

function* grow(delta: Delta, reply: ReplyState): Generator<ModelEvent> {
    yield* think(delta, reply);
    if (delta.refusal) reply.hasRefused = true;
    const { content } = delta;
    const text = content || delta.refusal;
    if (typeof text === "string") yield* add(reply.leading.take(text), reply);
    else if (Array.isArray(content)) yield* add(piecesIn(content), reply);
    for (const piece of delta.tool_calls ?? []) {
        yield* add(reply.leading.end(), reply);
        yield* endThought(reply);
        yield* reply.calls.add(piece);
    }
}

function* think(delta: Delta, reply: ReplyState): Generator<ModelEvent> {
    const details = delta.reasoning_details ?? [];
    reply.details.push(...details);
    // A server that fills several fields repeats itself.
    const field = delta.reasoning_content ? "reasoning_content" : "reasoning";
    const thought = delta[field];
    if (typeof thought === "string" && thought !== "") {
        reply.thought ??= { field };
        yield { type: "thinking", text: thought };
        return;
    }
    const text = details.map(textOfDetail).join("");
    if (text !== "") yield* add([{ type: "thinking", text }], reply);
}

function* add(pieces: Iterable<ReplyPiece>, reply: ReplyState): Generator<ModelEvent> {
    for (const piece of pieces) {
        if (piece.text === "") continue;
        if (piece.type === "thinking") {
            reply.thought ??= {};
        } else {
            yield* endThought(reply);
            reply.texts.push(piece.text);
        }
        yield piece;
    }
}

function piecesIn(content: Exclude<Delta["content"], string | null | undefined>): ReplyPiece[] {
    return content.map(({ type, text, thinking }) => ({
        type: type === "thinking" ? "thinking" : "text",
        text: textIn(type === "thinking" ? thinking : text),
    }));
}

/** A text, or the texts of a list of parts. */
function textIn(value: unknown): string {
    if (typeof value === "string") return value;
    if (!Array.isArray(value)) return "";
    return value.map((part: unknown) => textIn((part as { text?: unknown } | null)?.text)).join("");
}

function* endThought(reply: ReplyState): Generator<ModelEvent> {
    const { thought } = reply;
    if (thought === undefined) return;
    const { field } = thought;
    yield { type: "thinking-end", ...(field === undefined ? {} : { opaque: toFieldMark(field) }) };
    reply.thought = undefined;
}

/** What must go back with the calls, as thinking without text, so that it reaches no other model. */
function* extrasOf({ details, calls }: ReplyState): Generator<ModelEvent> {
    const opaque = toExtrasMark(joinedDetails(details), calls.extras());
    if (opaque !== undefined) yield { type: "thinking-end", opaque };
}

/** Reasons that say no more than that the reply has ended. */
const USUAL_ENDS = new Set(["stop", "eos", "eos_token", "end_turn", "stop_sequence"]);

function toStop(reason: string, { calls, hasRefused }: ReplyState): ModelEvent {
    if (reason === "length") return { type: "stop", reason: "max-output" };
    if (reason === "content_filter") return { type: "stop", reason: "refused", detail: FILTERED };
    // Servers send `stop` even after tool calls, and `tool_calls` without any.
    if (!calls.isEmpty) return { type: "stop", reason: "tool-calls" };
    if (hasRefused) return { type: "stop", reason: "refused" };
    return { type: "stop", reason: "end", ...(USUAL_ENDS.has(reason) ? {} : { detail: reason }) };
}

/**
 * Some gateways do not include cached tokens in `prompt_tokens`; only their total shows it. Others
 * (for Gemini and Grok) include thinking tokens only in the total.
 */
function toUsage(vendor: ChunkUsage): Usage {
    const details = vendor.prompt_tokens_details;
    const cacheRead = details?.cached_tokens ?? vendor.prompt_cache_hit_tokens ?? 0;
    const cacheWrite = details?.cache_write_tokens ?? 0;
    const prompt = vendor.prompt_tokens ?? 0;
    const answer = vendor.completion_tokens ?? 0;
    const uncounted = Math.max(0, (vendor.total_tokens ?? 0) - prompt - answer);
    const isCacheBeside = uncounted > 0 && uncounted === cacheRead + cacheWrite;
    return toUsageWithoutOverlap({
        prompt: isCacheBeside ? prompt + uncounted : prompt,
        cacheRead,
        cacheWrite,
        output: isCacheBeside ? answer : answer + uncounted,
    });
}
