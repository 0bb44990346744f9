import type {
    CitationsDelta,
    ContentBlock,
    MessageDeltaUsage,
    RawContentBlockDelta,
    RawMessageStreamEvent,
    RefusalStopDetails,
    ServerToolUseBlock,
    StopReason as VendorReason,
    Usage as VendorUsage,
    WebSearchToolResultBlock,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type {
    JsonObject,
    ModelEvent,
    ModelRequest,
    StopReason,
    Usage,
} from "../../../plugin/index.js";
import { CallIds } from "../../../provider-kit/call-ids.js";
import { incompleteStream } from "../../../provider-kit/failures.js";
import { parseInput } from "../../../provider-kit/tool-input.js";
import { highestUsage } from "../../../provider-kit/usage.js";

// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons

const REASONS: Readonly<Record<VendorReason, StopReason>> = {
    end_turn: "end",
    stop_sequence: "end",
    tool_use: "tool-calls",
    max_tokens: "max-output",
    model_context_window_exceeded: "context-overflow",
    pause_turn: "paused",
    refusal: "refused",
};

// https://platform.claude.com/docs/en/build-with-claude/streaming

type OpenBlock =
    | { readonly kind: "thinking"; readonly redacted?: string; signature: string }
    | {
          readonly kind: "tool";
          readonly callId: string;
          readonly name: string;
          readonly input: unknown;
          json: string;
      }
    /** A search of the web; its input follows. */
    | { readonly kind: "search"; readonly block: ServerToolUseBlock; json: string }
    | { readonly kind: "result"; readonly block: WebSearchToolResultBlock }
    /** Text, and block types unknown to this version. */
    | { readonly kind: "other" };

interface ReplyState {
    readonly blocks: Map<number, OpenBlock>;
    readonly ids: CallIds;
    readonly boundTo: string;
    usage: Usage;
    reason: VendorReason | null;
    details: RefusalStopDetails | null;
}

/**
 * Converts the vendor's stream to North's events. `boundTo` is the fingerprint of the request,
 * stored with the thinking. Throws `incomplete-stream` if the end is missing.
 */
export async function* toModelEvents(
    events: AsyncIterable<RawMessageStreamEvent>,
    { messages }: Pick<ModelRequest, "messages">,
    boundTo: string
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        blocks: new Map(),
        ids: new CallIds(messages),
        boundTo,
        usage: {},
        reason: null,
        details: null,
    };
    for await (const event of events) {
        if (event.type === "message_stop") {
            if (reply.reason === null || reply.blocks.size > 0) break;
            yield toStop(reply.reason, reply.details);
            return;
        }
        yield* read(event, reply);
    }
    throw incompleteStream();
}

function read(event: RawMessageStreamEvent, reply: ReplyState): ModelEvent[] {
    switch (event.type) {
        case "message_start":
            reply.usage = toUsage(event.message.usage ?? {}, reply.usage);
            return [{ type: "usage", usage: reply.usage }];
        case "content_block_start":
            return open(event.index, event.content_block, reply);
        case "content_block_delta":
            return grow(event.index, event.delta, reply);
        case "content_block_stop":
            return close(event.index, reply);
        case "message_delta":
            reply.reason = event.delta.stop_reason ?? reply.reason;
            reply.details = event.delta.stop_details ?? reply.details;
            reply.usage = toUsage(event.usage ?? {}, reply.usage);
            return [{ type: "usage", usage: reply.usage }];
        default:
            // The vendor adds event types within an API version.
            return [];
    }
}

function open(index: number, block: ContentBlock, reply: ReplyState): ModelEvent[] {
    switch (block.type) {
        case "text":
            reply.blocks.set(index, { kind: "other" });
            return textOf("text", block.text);
        case "thinking":
            reply.blocks.set(index, { kind: "thinking", signature: block.signature ?? "" });
            return textOf("thinking", block.thinking);
        case "redacted_thinking":
            reply.blocks.set(index, { kind: "thinking", redacted: block.data, signature: "" });
            return [];
        case "tool_use": {
            const { id, name, input } = block;
            const callId = reply.ids.take(id);
            reply.blocks.set(index, { kind: "tool", callId, name, input, json: "" });
            return [{ type: "tool-call-start", callId, name }];
        }
        case "server_tool_use":
            reply.blocks.set(index, { kind: "search", block, json: "" });
            return [];
        case "web_search_tool_result":
            reply.blocks.set(index, { kind: "result", block });
            return [];
        default:
            reply.blocks.set(index, { kind: "other" });
            return [];
    }
}

function grow(index: number, delta: RawContentBlockDelta, reply: ReplyState): ModelEvent[] {
    const block = reply.blocks.get(index);
    switch (delta.type) {
        case "text_delta":
            return textOf("text", delta.text);
        case "thinking_delta":
            return textOf("thinking", delta.thinking);
        case "signature_delta":
            if (block?.kind === "thinking") block.signature += delta.signature;
            return [];
        case "input_json_delta":
            if (block?.kind === "search") block.json += delta.partial_json;
            if (block?.kind !== "tool" || delta.partial_json === "") return [];
            block.json += delta.partial_json;
            return [{ type: "tool-call-delta", callId: block.callId, text: delta.partial_json }];
        case "citations_delta":
            return toSource(delta.citation);
        default:
            return [];
    }
}

function close(index: number, reply: ReplyState): ModelEvent[] {
    const block = reply.blocks.get(index);
    reply.blocks.delete(index);
    if (block?.kind === "thinking") {
        const { redacted, signature } = block;
        const proof: JsonObject = redacted === undefined ? { signature } : { redacted };
        const opaque = { ...proof, boundTo: reply.boundTo };
        return [{ type: "thinking-end", opaque }];
    }
    if (block?.kind === "search") return toSearch(block.block, block.json);
    if (block?.kind === "result") return [toServerPart(block.block)];
    if (block?.kind !== "tool") return [];
    const { callId, name } = block;
    return [{ type: "tool-call", callId, name, ...parseInput(block.json, block.input) }];
}

/** A call that the vendor runs; it is sent back as it came, like its results. */
function toSearch(block: ServerToolUseBlock, json: string): ModelEvent[] {
    const { input } = parseInput(json, block.input);
    const { query } = input;
    const queries = typeof query === "string" ? [query] : [];
    return [toServerPart({ ...block, input }), { type: "web-search", queries, sources: [] }];
}

/** Through JSON, because it is stored as such. */
function toServerPart(block: ServerToolUseBlock | WebSearchToolResultBlock): ModelEvent {
    const opaque: JsonObject = { block: JSON.parse(JSON.stringify(block)) };
    return { type: "thinking-end", opaque };
}

function toSource(citation: CitationsDelta["citation"]): ModelEvent[] {
    if (citation.type !== "web_search_result_location") return [];
    const { url, title } = citation;
    const source = { url, ...(title !== null && { title }) };
    return [{ type: "web-search", queries: [], sources: [source] }];
}

function textOf(type: "text" | "thinking", text: string): ModelEvent[] {
    return text ? [{ type, text }] : [];
}

/**
 * Returns the last event of a reply. An unknown reason ends the turn and is reported as its detail.
 */
function toStop(reason: VendorReason, details: RefusalStopDetails | null): ModelEvent {
    if (!Object.hasOwn(REASONS, reason)) return { type: "stop", reason: "end", detail: reason };
    const detail = details?.explanation ?? details?.category ?? undefined;
    return { type: "stop", reason: REASONS[reason], ...(detail === undefined ? {} : { detail }) };
}

// https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance

/**
 * Returns the vendor's counts so far. Only the first report splits cache writes by lifetime;
 * `before` carries that split over to later totals. Gateways report unknown fields as 0, so counts
 * never decrease.
 */
function toUsage(vendor: Partial<VendorUsage | MessageDeltaUsage>, before: Usage): Usage {
    const split = "cache_creation" in vendor ? vendor.cache_creation : undefined;
    const long = split?.ephemeral_1h_input_tokens ?? before.cacheWriteLongTokens ?? 0;
    const written = vendor.cache_creation_input_tokens;
    const searches = vendor.server_tool_use?.web_search_requests ?? 0;
    return highestUsage(before, {
        inputTokens: vendor.input_tokens ?? 0,
        cacheReadTokens: vendor.cache_read_input_tokens ?? 0,
        cacheWriteTokens: Math.max(0, (written ?? 0) - long),
        cacheWriteLongTokens: long,
        outputTokens: vendor.output_tokens ?? 0,
        ...(searches > 0 && { webSearches: searches }),
    });
}
