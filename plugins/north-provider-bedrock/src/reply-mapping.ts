import type {
    ContentBlockDelta,
    ConverseStreamOutput,
    TokenUsage,
} from "@aws-sdk/client-bedrock-runtime";
import type { ModelEvent, ModelRequest, StopReason, Usage } from "north-cli/plugin";
import {
    CallIds,
    FILTERED,
    highestUsage,
    incompleteStream,
    parseInput,
} from "north-cli/provider-kit";
import type { Proof } from "./message-mapping.js";

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html

type OpenBlock =
    | { readonly kind: "thinking"; signature: string; readonly redacted: Uint8Array[] }
    | { readonly kind: "tool"; readonly callId: string; readonly name: string; json: string };

interface ReplyState {
    readonly blocks: Map<number, OpenBlock>;
    readonly ids: CallIds;
    readonly boundTo: string;
    usage: Usage;
    reason: string | undefined;
}

/**
 * Converts the vendor's stream to North's events. `boundTo` is the fingerprint of the request.
 * Throws `incomplete-stream` if the end is missing.
 */
export async function* toModelEvents(
    events: AsyncIterable<ConverseStreamOutput>,
    { messages }: Pick<ModelRequest, "messages">,
    boundTo: string
): AsyncGenerator<ModelEvent, void> {
    const reply: ReplyState = {
        blocks: new Map(),
        ids: new CallIds(messages),
        boundTo,
        usage: {},
        reason: undefined,
    };
    for await (const event of events) yield* read(event, reply);
    if (reply.reason === undefined || reply.blocks.size > 0) throw incompleteStream();
    yield toStop(reply.reason);
}

function* read(event: ConverseStreamOutput, reply: ReplyState): Generator<ModelEvent> {
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    const tool = contentBlockStart?.start?.toolUse;
    if (tool) {
        const { toolUseId, name = "" } = tool;
        const callId = reply.ids.take(toolUseId);
        const block = { kind: "tool", callId, name, json: "" } as const;
        reply.blocks.set(contentBlockStart.contentBlockIndex ?? 0, block);
        yield { type: "tool-call-start", callId, name };
    }
    if (contentBlockDelta?.delta) {
        yield* grow(contentBlockDelta.contentBlockIndex ?? 0, contentBlockDelta.delta, reply);
    }
    if (contentBlockStop) yield* close(contentBlockStop.contentBlockIndex ?? 0, reply);
    reply.reason = messageStop?.stopReason ?? reply.reason;
    if (metadata?.usage) {
        reply.usage = highestUsage(reply.usage, toUsage(metadata.usage));
        yield { type: "usage", usage: reply.usage };
    }
}

function* grow(
    index: number,
    { text, toolUse, reasoningContent }: ContentBlockDelta,
    { blocks }: ReplyState
): Generator<ModelEvent> {
    if (text) yield { type: "text", text };
    if (toolUse?.input) {
        const block = blocks.get(index);
        if (block?.kind !== "tool") return;
        block.json += toolUse.input;
        yield { type: "tool-call-delta", callId: block.callId, text: toolUse.input };
    }
    if (!reasoningContent) return;
    const known = blocks.get(index);
    const thought: OpenBlock & { kind: "thinking" } =
        known?.kind === "thinking" ? known : { kind: "thinking", signature: "", redacted: [] };
    blocks.set(index, thought);
    const { signature, redactedContent, text: thinking } = reasoningContent;
    thought.signature += signature ?? "";
    if (redactedContent) thought.redacted.push(redactedContent);
    if (thinking) yield { type: "thinking", text: thinking };
}

function* close(index: number, { blocks, boundTo }: ReplyState): Generator<ModelEvent> {
    const block = blocks.get(index);
    blocks.delete(index);
    if (block?.kind === "thinking") {
        const { signature, redacted } = block;
        const data = Buffer.concat(redacted).toString("base64");
        const proof: Proof = redacted.length > 0 ? { redacted: data } : { signature };
        yield { type: "thinking-end", opaque: { ...proof, boundTo } };
    }
    if (block?.kind !== "tool") return;
    const { callId, name, json } = block;
    yield { type: "tool-call", callId, name, ...parseInput(json) };
}

/** The counts do not overlap; of the cache's writes only `cacheDetails` tells the lifetime. */
function toUsage(counts: TokenUsage): Usage {
    const { inputTokens = 0, outputTokens = 0, cacheReadInputTokens: cacheReadTokens = 0 } = counts;
    const written = counts.cacheWriteInputTokens ?? 0;
    const long = (counts.cacheDetails ?? [])
        .filter(({ ttl }) => ttl === "1h")
        .reduce((sum, { inputTokens: tokens = 0 }) => sum + tokens, 0);
    return {
        ...{ inputTokens, outputTokens, cacheReadTokens },
        cacheWriteTokens: Math.max(0, written - long),
        cacheWriteLongTokens: long,
    };
}

const REASONS: Readonly<Record<string, StopReason>> = {
    end_turn: "end",
    stop_sequence: "end",
    tool_use: "tool-calls",
    max_tokens: "max-output",
    model_context_window_exceeded: "context-overflow",
};
const REFUSALS: Readonly<Record<string, string | undefined>> = {
    content_filtered: FILTERED,
    guardrail_intervened: "a guardrail stopped it",
    refusal: undefined,
};

/** An unknown reason ends the turn and is reported as its detail. */
function toStop(reason: string): ModelEvent {
    const known = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
    if (known !== undefined) return { type: "stop", reason: known };
    if (!Object.hasOwn(REFUSALS, reason)) return { type: "stop", reason: "end", detail: reason };
    const detail = REFUSALS[reason];
    return { type: "stop", reason: "refused", ...(detail === undefined ? {} : { detail }) };
}
