import type {
    Response,
    ResponseFunctionWebSearch,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseReasoningItem,
    ResponseStreamEvent,
    ResponseUsage,
} from "openai/resources/responses/responses";
import type { JsonObject, ModelEvent, ModelRequest, Usage } from "../../../plugin/index.js";
import { CallIds } from "../../../provider-kit/call-ids.js";
import { FILTERED, incompleteStream, type Vendor } from "../../../provider-kit/failures.js";
import { parseInput } from "../../../provider-kit/tool-input.js";
import { toUsageWithoutOverlap } from "../../../provider-kit/usage.js";
import { toBodyFailure } from "./error-mapping.js";
import { toPhaseMark } from "./message-mapping.js";

// https://developers.openai.com/api/reference/resources/responses/streaming-events

interface OpenCall {
    readonly callId: string;
    readonly name: string;
    json: string;
}

interface ReplyState {
    /** Items in progress, by their index in the reply. */
    readonly open: Map<number, OpenCall | "other">;
    readonly ids: CallIds;
    hasCalls: boolean;
    hasRefused: boolean;
    searches: number;
}

/**
 * Converts the vendor's stream to North's events. Throws `incomplete-stream` if the end is missing,
 * and errors reported inside the stream.
 */
export async function* toModelEvents(
    events: AsyncIterable<ResponseStreamEvent>,
    { messages }: Pick<ModelRequest, "messages">,
    vendor: Vendor
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        open: new Map(),
        ids: new CallIds(messages),
        hasCalls: false,
        hasRefused: false,
        searches: 0,
    };
    for await (const event of events) {
        if (!isLast(event)) {
            yield* read(event, reply);
            continue;
        }
        if (event.type === "error") throw toBodyFailure(event, vendor);
        const { response } = event;
        const { usage, service_tier: tier } = response;
        if (usage != null) {
            const counted = toUsage(usage, reply.searches);
            yield { type: "usage", usage: counted, ...(tier === "flex" && { tier }) };
        }
        if (event.type === "response.failed") throw toBodyFailure(response.error, vendor);
        if (event.type === "response.completed" && reply.open.size > 0) break;
        yield* end(response, reply);
        return;
    }
    throw incompleteStream();
}

export function isLast(event: ResponseStreamEvent): event is LastEvent {
    return LAST.some((type) => type === event.type);
}

const LAST = ["response.completed", "response.incomplete", "response.failed", "error"] as const;
type LastEvent = Extract<ResponseStreamEvent, { type: (typeof LAST)[number] }>;

function read(event: Exclude<ResponseStreamEvent, LastEvent>, reply: ReplyState): ModelEvent[] {
    switch (event.type) {
        case "response.output_item.added":
            return open(event.output_index, event.item, reply);
        case "response.output_text.delta":
            return textOf("text", event.delta);
        case "response.refusal.delta":
            reply.hasRefused = true;
            return textOf("text", event.delta);
        case "response.reasoning_summary_part.added":
            return textOf("thinking", event.summary_index > 0 ? "\n\n" : "");
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
            return textOf("thinking", event.delta);
        case "response.function_call_arguments.delta": {
            const call = reply.open.get(event.output_index);
            if (typeof call !== "object") return [];
            call.json += event.delta;
            return [{ type: "tool-call-delta", callId: call.callId, text: event.delta }];
        }
        case "response.output_item.done":
            return close(event.output_index, event.item, reply);
        default:
            // Ends of parts, which items repeat, and event types unknown to this version.
            return [];
    }
}

function open(index: number, item: ResponseOutputItem, reply: ReplyState): ModelEvent[] {
    if (item.type !== "function_call") {
        reply.open.set(index, "other");
        const phase = item.type === "message" ? item.phase : undefined;
        return phase ? [{ type: "thinking-end", opaque: toPhaseMark(phase) }] : [];
    }
    const { call_id: id, name } = item;
    const callId = reply.ids.take(id);
    reply.open.set(index, { callId, name, json: item.arguments ?? "" });
    return [{ type: "tool-call-start", callId, name }];
}

function close(index: number, item: ResponseOutputItem, reply: ReplyState): ModelEvent[] {
    const known = reply.open.get(index);
    const begun = known === undefined ? open(index, item, reply) : [];
    const call = reply.open.get(index);
    reply.open.delete(index);
    if (item.type === "reasoning") return [...begun, toThinkingEnd(item)];
    if (item.type === "web_search_call") return [...begun, ...toSearch(item, reply)];
    if (item.type === "message") return [...begun, ...toSources(item)];
    if (item.type !== "function_call" || typeof call !== "object") return begun;
    return [...begun, toCall({ ...call, json: item.arguments || call.json }, reply)];
}

function toCall({ callId, name, json }: OpenCall, reply: ReplyState): ModelEvent {
    reply.hasCalls = true;
    return { type: "tool-call", callId, name, ...parseInput(json) };
}

// https://developers.openai.com/api/docs/guides/tools-web-search

/** Only searches have a price, not the pages that are opened. */
function toSearch(item: ResponseFunctionWebSearch, reply: ReplyState): ModelEvent[] {
    const { action, status } = item;
    const part = toThinkingEnd(item);
    if (action?.type !== "search" || status === "failed") return [part];
    reply.searches += 1;
    const queries = action.queries ?? (action.query === undefined ? [] : [action.query]);
    return [part, { type: "web-search", queries, sources: [] }];
}

function toSources({ content }: ResponseOutputMessage): ModelEvent[] {
    const sources = content.flatMap((part) =>
        (part.type === "output_text" ? (part.annotations ?? []) : []).flatMap((each) =>
            each.type === "url_citation" ? { url: each.url, title: each.title } : []
        )
    );
    return sources.length > 0 ? [{ type: "web-search", queries: [], sources }] : [];
}

/** The whole item must be sent back unchanged. Through JSON, because it is stored as such. */
function toThinkingEnd(item: ResponseReasoningItem | ResponseFunctionWebSearch): ModelEvent {
    const opaque: JsonObject = JSON.parse(JSON.stringify(item));
    return { type: "thinking-end", opaque };
}

function* end(response: Response, reply: ReplyState): Generator<ModelEvent> {
    const cut = response.incomplete_details?.reason;
    // The limit was hit inside a call: emit it, so that the model learns its arguments were cut
    // off.
    for (const call of reply.open.values()) if (typeof call === "object") yield toCall(call, reply);

    if (cut === "max_output_tokens") yield { type: "stop", reason: "max-output" };
    else if (cut === "content_filter") yield { type: "stop", reason: "refused", detail: FILTERED };
    else if (reply.hasCalls) yield { type: "stop", reason: "tool-calls" };
    else if (reply.hasRefused) yield { type: "stop", reason: "refused" };
    else yield { type: "stop", reason: "end", ...(cut === undefined ? {} : { detail: cut }) };
}

function textOf(type: "text" | "thinking", text: string): ModelEvent[] {
    return text ? [{ type, text }] : [];
}

// https://developers.openai.com/api/docs/guides/prompt-caching

function toUsage(vendor: Partial<ResponseUsage>, searches: number): Usage {
    // Gateways omit counts or details, and older models omit what they do not charge for.
    const details: Partial<ResponseUsage.InputTokensDetails> = vendor.input_tokens_details ?? {};
    const tokens = toUsageWithoutOverlap({
        prompt: vendor.input_tokens ?? 0,
        cacheRead: details.cached_tokens ?? 0,
        cacheWrite: details.cache_write_tokens ?? 0,
        output: vendor.output_tokens ?? 0,
    });
    return { ...tokens, ...(searches > 0 && { webSearches: searches }) };
}
