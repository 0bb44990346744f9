import type {
    AssistantMessage,
    ModelConnection,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    StopReason,
    ToolMessage,
    ToolSchema,
    Usage,
} from "../../../src/plugin/index.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { anthropicModels } from "../../../src/builtin/providers/anthropic/models.js";

export function modelNamed(id: string): ModelInfo {
    const model = anthropicModels.find((candidate) => candidate.id === id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return model;
}

export const readFile: ToolSchema = {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

export function requestWith(changes: Partial<ModelRequest> = {}): ModelRequest {
    return {
        model: modelNamed("claude-sonnet-5-5"),
        system: "You help with code.",
        tools: [readFile],
        messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
        maxOutputTokens: 8_000,
        thinking: true,
        conversationId: "c0ffee",
        ...changes,
    };
}

export function userSays(text: string): ModelRequest["messages"][number] {
    return { role: "user", content: [{ type: "text", text }] };
}

/** The results of all calls of a reply. */
export function answersTo({ content }: AssistantMessage, result = '{"ok":true}'): ToolMessage {
    return {
        role: "tool",
        content: content.flatMap((part) =>
            part.type === "tool-call"
                ? [
                      {
                          type: "tool-result" as const,
                          callId: part.callId,
                          name: part.name,
                          content: result,
                          isError: false,
                      },
                  ]
                : []
        ),
    };
}

/** All that one request brought. */
export interface Collected {
    readonly events: readonly ModelEvent[];
    readonly text: string;
    readonly message: AssistantMessage;
    readonly usage: Usage;
    readonly stop: StopReason | undefined;
}

/** Drains a stream as the core does. */
export async function collect(
    connection: ModelConnection,
    request: ModelRequest,
    signal = new AbortController().signal,
    provider = "anthropic"
): Promise<Collected> {
    const events: ModelEvent[] = [];
    for await (const event of connection.stream(request, { signal })) events.push(event);
    return summarize(events, request.model.id, provider);
}

function summarize(events: readonly ModelEvent[], model: string, provider: string): Collected {
    const content: AssistantMessage["content"][number][] = [];
    let thought = "";
    let usage: Usage = {};
    let stop: StopReason | undefined;
    for (const event of events) {
        const last = content.at(-1);
        if (event.type === "text" && last?.type === "text") {
            content.splice(-1, 1, { type: "text", text: last.text + event.text });
        } else if (event.type === "text") {
            content.push(event);
        }
        if (event.type === "thinking") thought += event.text;
        if (event.type === "thinking-end") {
            const { opaque } = event;
            content.push({ type: "thinking", text: thought, provider, model, opaque });
            thought = "";
        }
        if (event.type === "tool-call") content.push(event);
        if (event.type === "usage") usage = { ...usage, ...event.usage };
        if (event.type === "stop") stop = event.reason;
    }
    const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    return { events, text, message: { role: "assistant", content }, usage, stop };
}

/** The expected failure a promise ends in. */
export async function failureOf(promise: Promise<unknown>) {
    try {
        await promise;
    } catch (error) {
        if (isExpectedError(error)) return error;
        throw error;
    }
    throw new Error("It did not fail");
}
