import type { Message, ModelEvent, Usage } from "north-cli/plugin";
import {
    CallCollector,
    FILTERED,
    highestUsage,
    incompleteStream,
    toUsageWithoutOverlap,
} from "north-cli/provider-kit";
import type { Signatures } from "./message-mapping.js";
import type { Chunk, Part } from "./wire.js";

// https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse

interface ReplyState {
    readonly calls: CallCollector;
    callCount: number;
    isThinking: boolean;
    reason: string | undefined;
    usage: Usage;
    readonly queries: Set<string>;
}

/**
 * Converts the vendor's chunks to North's events. Throws `incomplete-stream` if the finish reason
 * is missing.
 */
export async function* toModelEvents(
    chunks: AsyncIterable<Chunk>,
    messages: readonly Message[]
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        calls: new CallCollector(messages),
        callCount: 0,
        isThinking: false,
        reason: undefined,
        usage: {},
        queries: new Set(),
    };
    for await (const { candidates, promptFeedback, usageMetadata } of chunks) {
        for (const part of candidates?.[0]?.content?.parts ?? []) yield* read(part, reply);
        yield* ground(candidates?.[0]?.groundingMetadata, reply);
        reply.reason = candidates?.[0]?.finishReason ?? promptFeedback?.blockReason ?? reply.reason;
        if (usageMetadata) {
            reply.usage = highestUsage(reply.usage, toUsage(usageMetadata, reply.queries.size));
            const isFlex = usageMetadata.serviceTier?.toLowerCase() === "flex";
            yield { type: "usage", usage: reply.usage, ...(isFlex && { tier: "flex" }) };
        }
    }
    if (reply.reason === undefined) throw incompleteStream();
    yield* endThought(reply);
    yield* signaturesOf(reply);
    yield* reply.calls.finished();
    yield toStop(reply.reason, reply);
}

function* read(part: Part, reply: ReplyState): Generator<ModelEvent> {
    const { text = "", thought, thoughtSignature, functionCall } = part;
    if (functionCall !== undefined) {
        yield* endThought(reply);
        const { id, name, args } = functionCall;
        const signature = thoughtSignature ? { thoughtSignature } : {};
        const index = reply.callCount++;
        // Always whole, so each has its own index.
        yield* reply.calls.add({ index, id, function: { name, arguments: args }, ...signature });
        return;
    }
    if (thought) {
        if (text === "") return;
        reply.isThinking = true;
        yield { type: "thinking", text };
        return;
    }
    if (text !== "") {
        yield* endThought(reply);
        yield { type: "text", text };
    }
    if (thoughtSignature) {
        yield* endThought(reply);
        yield { type: "thinking-end", opaque: { text: thoughtSignature } satisfies Signatures };
    }
}

/** What the vendor searched for and used; chunks may repeat it. Each query has its price. */
function* ground(
    metadata: NonNullable<Chunk["candidates"]>[number]["groundingMetadata"],
    reply: ReplyState
): Generator<ModelEvent> {
    const { webSearchQueries = [], groundingChunks = [] } = metadata ?? {};
    const queries = webSearchQueries.filter((each) => each !== "" && !reply.queries.has(each));
    for (const query of queries) reply.queries.add(query);
    const sources = groundingChunks.flatMap(({ web: { uri: url, title } = {} }) =>
        url ? { url, ...(title !== undefined && { title }) } : []
    );
    if (queries.length + sources.length === 0) return;
    yield* endThought(reply);
    yield { type: "web-search", queries, sources };
}

function* endThought(reply: ReplyState): Generator<ModelEvent> {
    if (!reply.isThinking) return;
    reply.isThinking = false;
    yield { type: "thinking-end" };
}

/** As thinking without text, so that it reaches no other model. */
function* signaturesOf({ calls }: ReplyState): Generator<ModelEvent> {
    const signed = Object.entries(calls.extras()).flatMap(([callId, { thoughtSignature }]) =>
        typeof thoughtSignature === "string" ? [[callId, thoughtSignature] as const] : []
    );
    if (signed.length === 0) return;
    yield { type: "thinking-end", opaque: { calls: Object.fromEntries(signed) } };
}

function toUsage(counts: NonNullable<Chunk["usageMetadata"]>, searches: number): Usage {
    const { promptTokenCount: prompt = 0, cachedContentTokenCount: cacheRead = 0 } = counts;
    const { candidatesTokenCount: answer = 0, thoughtsTokenCount: thoughts = 0 } = counts;
    const tokens = toUsageWithoutOverlap({ prompt, cacheRead, output: answer + thoughts });
    return { ...tokens, ...(searches > 0 && { webSearches: searches }) };
}

const FILTERS = [
    ...["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY"],
];

function toStop(reason: string, { calls }: ReplyState): ModelEvent {
    if (FILTERS.includes(reason)) return { type: "stop", reason: "refused", detail: FILTERED };
    if (reason === "MAX_TOKENS") return { type: "stop", reason: "max-output" };
    if (!calls.isEmpty) return { type: "stop", reason: "tool-calls" };
    return { type: "stop", reason: "end", ...(reason === "STOP" ? {} : { detail: reason }) };
}
