import type { CompletionChunk, ContentChunk } from "@mistralai/mistralai/models/components";
import type { Message, ModelEvent, StopReason } from "north-cli/plugin";
import { CallCollector, incompleteStream } from "north-cli/provider-kit";
import { toUsage } from "./usage-mapping.js";

// https://docs.mistral.ai/api/endpoint/chat#operation-chat_completion_v1_chat_completions_post

interface ReplyState {
    readonly calls: CallCollector;
    thought: { signature?: string } | undefined;
    reason: string | undefined;
}

/**
 * Converts the vendor's chunks to North's events. Throws `incomplete-stream` if the end is missing.
 */
export async function* toModelEvents(
    chunks: AsyncIterable<CompletionChunk>,
    messages: readonly Message[]
): AsyncGenerator<ModelEvent, void> {
    const calls = new CallCollector(messages);
    const reply: ReplyState = { calls, thought: undefined, reason: undefined };
    for await (const { choices, usage } of chunks) {
        const choice = choices[0];
        if (choice !== undefined) {
            yield* readContent(choice.delta.content, reply);
            for (const piece of choice.delta.toolCalls ?? []) {
                yield* endThought(reply);
                // The SDK turns an absent id into "null".
                yield* calls.add({ ...piece, id: piece.id === "null" ? null : piece.id });
            }
            if (choice.finishReason !== null) reply.reason = String(choice.finishReason);
        }
        if (usage !== undefined) yield { type: "usage", usage: toUsage(usage) };
    }
    if (reply.reason === undefined || reply.reason === "error") throw incompleteStream();
    yield* endThought(reply);
    yield* calls.finished();
    yield toStop(reply.reason, reply);
}

const STOPS: Readonly<Record<string, StopReason>> = {
    length: "max-output",
    model_length: "max-output",
    content_filter: "refused",
};

/** An unknown reason ends the turn and is reported as its detail. */
function toStop(reason: string, { calls }: ReplyState): ModelEvent {
    const cut = Object.hasOwn(STOPS, reason) ? STOPS[reason] : undefined;
    const stop = cut ?? (calls.isEmpty ? "end" : "tool-calls");
    const isUsual = reason === "stop" || reason === "tool_calls" || reason === "length";
    return { type: "stop", reason: stop, ...(isUsual ? {} : { detail: reason }) };
}

function* readContent(
    content: string | ContentChunk[] | null | undefined,
    reply: ReplyState
): Generator<ModelEvent> {
    const parts =
        typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    for (const part of parts ?? []) {
        if (part.type === "thinking" && "thinking" in part) {
            reply.thought ??= {};
            if (part.signature) reply.thought.signature = part.signature;
            for (const piece of part.thinking) {
                if ("text" in piece && piece.text !== "") {
                    yield { type: "thinking", text: piece.text };
                }
            }
        } else if (part.type === "text" && "text" in part && part.text !== "") {
            yield* endThought(reply);
            yield { type: "text", text: part.text };
        }
    }
}

function* endThought(reply: ReplyState): Generator<ModelEvent> {
    const { thought } = reply;
    if (thought === undefined) return;
    reply.thought = undefined;
    const { signature } = thought;
    yield { type: "thinking-end", ...(signature === undefined ? {} : { opaque: { signature } }) };
}
