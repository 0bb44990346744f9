import { randomBytes } from "node:crypto";
import type {
    CompletionChunk,
    ContentChunk,
    ToolCall,
} from "@mistralai/mistralai/models/components";
import type { JsonObject, ModelEvent, StopReason } from "north-cli/plugin";
import { Failure } from "./failure.js";
import { toUsage } from "./usage-mapping.js";

// https://docs.mistral.ai/api/endpoint/chat#operation-chat_completion_v1_chat_completions_post

interface OpenCall {
    readonly serverId: string | undefined;
    readonly index: number;
    readonly callId: string;
    readonly name: string;
    json: string;
}

interface Reply {
    readonly calls: OpenCall[];
    thought: { signature?: string } | undefined;
    reason: string | undefined;
}

/** The vendor's chunks as North's events. Throws `incomplete-stream` where the end is missing. */
export async function* toModelEvents(
    chunks: AsyncIterable<CompletionChunk>
): AsyncGenerator<ModelEvent, void> {
    const reply: Reply = { calls: [], thought: undefined, reason: undefined };
    for await (const { choices, usage } of chunks) {
        const choice = choices[0];
        if (choice !== undefined) {
            yield* readContent(choice.delta.content, reply);
            for (const piece of choice.delta.toolCalls ?? []) yield* readCall(piece, reply);
            if (choice.finishReason !== null) reply.reason = String(choice.finishReason);
        }
        if (usage !== undefined) yield { type: "usage", usage: toUsage(usage) };
    }
    if (reply.reason === undefined || reply.reason === "error") {
        throw new Failure("incomplete-stream", "The reply ended before it was complete.", {
            retryable: true,
        });
    }
    yield* endThought(reply);
    for (const { callId, name, json } of reply.calls) {
        yield { type: "tool-call", callId, name, ...parseInput(json) };
    }

    yield toStop(reply.reason, reply);
}

const STOPS: Readonly<Record<string, StopReason>> = {
    length: "max-output",
    model_length: "max-output",
    content_filter: "refused",
};

/** A reason this version does not know ends the turn and is named. */
function toStop(reason: string, { calls }: Reply): ModelEvent {
    const stop = STOPS[reason] ?? (calls.length > 0 ? "tool-calls" : "end");
    const isUsual = reason === "stop" || reason === "tool_calls" || reason === "length";
    return { type: "stop", reason: stop, ...(isUsual ? {} : { detail: reason }) };
}

function* readContent(
    content: string | ContentChunk[] | null | undefined,
    reply: Reply
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

function* endThought(reply: Reply): Generator<ModelEvent> {
    const { thought } = reply;
    if (thought === undefined) return;
    reply.thought = undefined;
    const { signature } = thought;
    yield { type: "thinking-end", ...(signature === undefined ? {} : { opaque: { signature } }) };
}

function* readCall(piece: ToolCall, reply: Reply): Generator<ModelEvent> {
    yield* endThought(reply);
    // What the SDK makes of an absent id.
    const serverId = piece.id === "null" || piece.id === "" ? undefined : piece.id;
    const index = piece.index ?? 0;
    const { name, arguments: given } = piece.function;
    const json = typeof given === "string" ? given : JSON.stringify(given);
    const known = reply.calls.findLast((call) => call.index === index);
    // The index is 0 wherever it is absent, so that another id means another call.
    if (known && (serverId === undefined || serverId === known.serverId)) {
        known.json += json;
        return;
    }
    const callId = serverId ?? randomBytes(9).toString("base64").replace(/\W|_/g, "0").slice(0, 9);
    reply.calls.push({ serverId, index, callId, name, json });
    yield { type: "tool-call-start", callId, name };
}

function parseInput(json: string): {
    readonly input: JsonObject;
    readonly malformedInput?: string;
} {
    if (json.trim() === "") return { input: {} };
    try {
        const input: unknown = JSON.parse(json);
        if (typeof input === "object" && input !== null && !Array.isArray(input)) {
            return { input: input as JsonObject };
        }
    } catch {
        // Told to the model as malformed.
    }
    return { input: {}, malformedInput: json };
}
