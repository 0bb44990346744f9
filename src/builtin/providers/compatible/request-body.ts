import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ModelRequest } from "../../../plugin/index.js";
import { createBodyJoiner } from "../growing-body.js";
import { toJson } from "../json-text.js";
import { toChatMessages } from "./message-mapping.js";

type Settings = Omit<ChatCompletionCreateParamsStreaming, "messages">;

/**
 * Builds request bodies in which the messages come last, so that each extends the one before.
 * `needsReasoning` is for servers that want what was thought with every call, be it nothing.
 */
export function createBodyBuilder(
    providerId: string
): (request: ModelRequest, needsReasoning?: boolean) => Buffer {
    const usual = createBodyJoiner((message, model) => toChatMessages(message, model, providerId));
    const withReasoning = createBodyJoiner((message, model) =>
        toChatMessages(message, model, providerId, true)
    );
    return (request, needsReasoning = false) => {
        const join = needsReasoning ? withReasoning : usual;
        const { system, messages, model } = request;
        const leading = system === "" ? [] : [{ role: "system", content: system }];
        return join({ head: headOf(request), leading, messages, model });
    };
}

function headOf({ model, tools, maxOutputTokens }: ModelRequest): string {
    const settings: Settings = {
        model: model.id,
        stream: true,
        stream_options: { include_usage: true },
        // Its successor `max_completion_tokens` is known to few servers.
        max_tokens: maxOutputTokens,
        ...(tools.length === 0
            ? {}
            : {
                  tools: tools.map(({ name, description, inputSchema }) => ({
                      type: "function",
                      function: { name, description, parameters: { ...inputSchema } },
                  })),
              }),
    };
    return `${toJson(settings).slice(0, -1)},"messages":[`;
}
