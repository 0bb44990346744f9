import type { Message, ModelEvent, Usage } from "../../../plugin/index.js";
import { CallCollector } from "../../../provider-kit/call-collector.js";
import {
    FILTERED,
    incompleteStream,
    toFailure,
    type Vendor,
} from "../../../provider-kit/failures.js";
import { highestUsage, toUsageWithoutOverlap } from "../../../provider-kit/usage.js";
import type { Chunk, ChunkUsage, Delta } from "./chunk.js";
import { type ReasoningField, toOpaque } from "./message-mapping.js";

interface ReplyState {
    readonly calls: CallCollector;
    /** The field of the thinking block in progress. */
    thought: ReasoningField | undefined;
    hasRefused: boolean;
    reason: string | undefined;
    usage: Usage;
}

/**
 * Converts a server's stream to North's events. It is complete once it has given a finish reason;
 * some servers omit the end-of-stream marker. Otherwise throws `incomplete-stream`.
 */
export async function* toModelEvents(
    chunks: AsyncIterable<Chunk>,
    messages: readonly Message[],
    vendor: Vendor
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        calls: new CallCollector(messages),
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

    yield* endThought(reply);
    if (reply.reason === "error") throw toFailure({ code: "server-error" }, vendor);
    yield* reply.calls.finished();
    yield toStop(reply.reason, reply);
}

function* read({ choices }: Chunk, reply: ReplyState): Generator<ModelEvent> {
    const choice = choices?.[0];
    if (choice === undefined) return;
    if (choice.delta) yield* grow(choice.delta, reply);
    reply.reason = choice.finish_reason || reply.reason;
}

function* grow(delta: Delta, reply: ReplyState): Generator<ModelEvent> {
    // A server that fills both fields repeats itself.
    const field = delta.reasoning_content ? "reasoning_content" : "reasoning";
    const thought = delta[field];
    if (typeof thought === "string" && thought !== "") {
        reply.thought ??= field;
        yield { type: "thinking", text: thought };
    }
    const text = delta.content || delta.refusal;
    if (delta.refusal) reply.hasRefused = true;
    if (typeof text === "string" && text !== "") {
        yield* endThought(reply);
        yield { type: "text", text };
    }
    for (const piece of delta.tool_calls ?? []) {
        yield* endThought(reply);
        yield* reply.calls.add(piece);
    }
}

function* endThought(reply: ReplyState): Generator<ModelEvent> {
    if (reply.thought === undefined) return;
    yield { type: "thinking-end", opaque: toOpaque(reply.thought) };
    reply.thought = undefined;
}

function toStop(reason: string, { calls, hasRefused }: ReplyState): ModelEvent {
    if (reason === "length") return { type: "stop", reason: "max-output" };
    if (reason === "content_filter") return { type: "stop", reason: "refused", detail: FILTERED };
    // Servers send `stop` even after tool calls, and `tool_calls` without any.
    if (!calls.isEmpty) return { type: "stop", reason: "tool-calls" };
    if (hasRefused) return { type: "stop", reason: "refused" };
    return { type: "stop", reason: "end", ...(reason === "stop" ? {} : { detail: reason }) };
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
