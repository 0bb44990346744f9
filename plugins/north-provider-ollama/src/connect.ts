import type {
    ConnectionSettings,
    Message,
    ModelConnection,
    ModelInfo,
    ModelRequest,
} from "north-cli/plugin";
import {
    BodyMemory,
    createBodyJoiner,
    failureOf,
    isBlank,
    isOwnThinking,
    type Limits,
    openServer,
    receiveReply,
    sendableMedia,
    sendableParts,
    toFailure,
    toFunctionTools,
    toToolName,
} from "north-cli/provider-kit";
import { OLLAMA } from "./provider.js";
import { type Chunk, toModelEvents } from "./reply-mapping.js";
import { send } from "./send.js";

// https://docs.ollama.com/api/chat

/** A large model takes minutes to load and to read a long prompt. */
const LIMITS: Limits = { requestMs: 600_000, silenceMs: 300_000 };

/** Connects by Ollama's own API: its compatible one cannot set the window. */
export async function connect(settings: ConnectionSettings): Promise<ModelConnection> {
    const server = openServer(settings, OLLAMA, LIMITS);
    const memory = new BodyMemory();
    const join = createBodyJoiner("messages", toMessages, memory);

    async function* receive(body: Buffer<ArrayBuffer>, signal: AbortSignal) {
        const response = await send(server, "/api/chat", signal, body);
        for await (const line of linesOf(response)) {
            const chunk: Chunk = JSON.parse(line);
            if (chunk.error !== undefined) throw toFailure({ said: chunk.error }, OLLAMA);
            yield chunk;
        }
    }

    return {
        stream(request, { signal }) {
            const { system, messages, model } = request;
            const leading = system === "" ? [] : [{ role: "system", content: system }];
            const body = join({ settings: settingsOf(request), leading, messages, model });
            return receiveReply(() => toModelEvents(receive(body, signal), messages), {
                signal,
                toFailure: (error) => failureOf(error, server, () => undefined),
                finish: () => memory.giveBack(body),
            });
        },
    };
}

function settingsOf({ model, tools, maxOutputTokens, thinking }: ModelRequest): object {
    return {
        model: model.id,
        stream: true,
        // Loading it again takes longer than a person reads an answer.
        keep_alive: "30m",
        options: { num_ctx: model.contextTokens, num_predict: maxOutputTokens },
        ...(model.thinking === undefined ? {} : { think: thinking }),
        ...toFunctionTools(tools),
    };
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of body ?? []) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        yield* lines.filter((line) => !isBlank(line));
    }
    if (!isBlank(rest)) yield rest;
}

function toMessages(message: Message, model: ModelInfo): readonly object[] {
    switch (message.role) {
        case "user": {
            const parts = sendableParts(message, model);
            const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
            const images = parts.flatMap((part) => (part.type === "image" ? [part.data] : []));
            return parts.length === 0 ? [] : [toMessage("user", texts.join("\n\n"), images)];
        }
        case "assistant": {
            const textOf = (type: "text" | "thinking") =>
                message.content
                    .flatMap((part) => {
                        if (part.type !== type) return [];
                        const isForeign =
                            part.type === "thinking" && !isOwnThinking(part, OLLAMA.id, model);
                        return isForeign ? [] : [part.text];
                    })
                    .join("");
            const calls = message.content.flatMap((part) =>
                part.type === "tool-call"
                    ? [{ function: { name: toToolName(part.name), arguments: part.input } }]
                    : []
            );
            const [content, thinking] = [textOf("text"), textOf("thinking")];
            if (content === "" && calls.length === 0) return [];
            return [
                {
                    ...{ role: "assistant", content },
                    ...(thinking === "" ? {} : { thinking }),
                    ...(calls.length === 0 ? {} : { tool_calls: calls }),
                },
            ];
        }
        case "tool": {
            const media = message.content.flatMap((part) => sendableMedia(part, model));
            const images = media.flatMap(({ type, data }) => (type === "image" ? [data] : []));
            const results = message.content.map(({ name, content }) => ({
                ...{ role: "tool", content, tool_name: toToolName(name) },
            }));
            if (images.length === 0) return results;
            return [...results, toMessage("user", "The images of the results above.", images)];
        }
    }
}

function toMessage(role: string, content: string, images: readonly string[]): object {
    return { role, content, ...(images.length === 0 ? {} : { images }) };
}
