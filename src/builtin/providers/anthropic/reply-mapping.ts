import type {
    ContentBlock,
    RawContentBlockDelta,
    RawMessageStreamEvent,
    RefusalStopDetails,
    StopReason as VendorReason,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { JsonObject, ModelEvent, Usage } from "../../../plugin/index.js";
import { incompleteStream } from "../../../provider-kit/failures.js";
import { parseInput } from "../../../provider-kit/tool-input.js";
import { toStop } from "./stop-mapping.js";
import { toUsage } from "./usage-mapping.js";

// https://platform.claude.com/docs/en/build-with-claude/streaming

/** A block whose end has not come yet. */
type OpenBlock =
    | { readonly kind: "thinking"; readonly redacted?: string; signature: string }
    | {
          readonly kind: "tool";
          readonly callId: string;
          readonly name: string;
          readonly input: unknown;
          json: string;
      }
    /** Text, and kinds that this version does not know. */
    | { readonly kind: "other" };

/** What is known of the reply so far. */
interface Reply {
    readonly blocks: Map<number, OpenBlock>;
    readonly boundTo: string;
    usage: Usage;
    reason: VendorReason | null;
    details: RefusalStopDetails | null;
}

/**
 * The vendor's stream as North's events. `boundTo` is the fingerprint of the request, kept with
 * the thinking. Throws `incomplete-stream` where the end is missing.
 */
export async function* toModelEvents(
    events: AsyncIterable<RawMessageStreamEvent>,
    boundTo: string
): AsyncGenerator<ModelEvent, void> {
    const reply: Reply = {
        blocks: new Map(),
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

function read(event: RawMessageStreamEvent, reply: Reply): ModelEvent[] {
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
            // The vendor adds kinds of events within a version.
            return [];
    }
}

function open(index: number, block: ContentBlock, reply: Reply): ModelEvent[] {
    switch (block.type) {
        case "text":
            reply.blocks.set(index, { kind: "other" });
            return toText(block.text);
        case "thinking":
            reply.blocks.set(index, { kind: "thinking", signature: block.signature ?? "" });
            return toThinkingText(block.thinking);
        case "redacted_thinking":
            reply.blocks.set(index, { kind: "thinking", redacted: block.data, signature: "" });
            return [];
        case "tool_use": {
            const { id: callId, name, input } = block;
            reply.blocks.set(index, { kind: "tool", callId, name, input, json: "" });
            return [{ type: "tool-call-start", callId, name }];
        }
        default:
            reply.blocks.set(index, { kind: "other" });
            return [];
    }
}

function grow(index: number, delta: RawContentBlockDelta, reply: Reply): ModelEvent[] {
    const block = reply.blocks.get(index);
    switch (delta.type) {
        case "text_delta":
            return toText(delta.text);
        case "thinking_delta":
            return toThinkingText(delta.thinking);
        case "signature_delta":
            if (block?.kind === "thinking") block.signature += delta.signature;
            return [];
        case "input_json_delta":
            if (block?.kind === "tool") block.json += delta.partial_json;
            return [];
        default:
            return [];
    }
}

function close(index: number, reply: Reply): ModelEvent[] {
    const block = reply.blocks.get(index);
    reply.blocks.delete(index);
    if (block?.kind === "thinking") {
        const { redacted, signature } = block;
        const proof: JsonObject = redacted === undefined ? { signature } : { redacted };
        const opaque = { ...proof, boundTo: reply.boundTo };
        return [{ type: "thinking-end", opaque }];
    }
    if (block?.kind !== "tool") return [];
    const { callId, name } = block;
    return [{ type: "tool-call", callId, name, ...parseInput(block.json, block.input) }];
}

function toText(text: string): ModelEvent[] {
    return text ? [{ type: "text", text }] : [];
}

function toThinkingText(text: string): ModelEvent[] {
    return text ? [{ type: "thinking", text }] : [];
}
