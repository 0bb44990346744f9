import type { CompletionChunk } from "@mistralai/mistralai/models/components";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import { type Limits, toFunctionTools } from "north-cli/provider-kit";
import { openClient } from "./client.js";
import { toExpectedError } from "./error-mapping.js";
import { toVendorMessages } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const send = await createSender(settings, limits);
    return {
        stream: (request, { signal }) => toModelEvents(send(request, signal), request.messages),
    };
}

async function createSender(settings: ConnectionSettings, limits?: Limits) {
    const { client, server } = await openClient(settings, limits);
    const { chatStream } = await import("@mistralai/mistralai/funcs/chatStream.js");
    return async function* (request: ModelRequest, signal: AbortSignal) {
        signal.throwIfAborted();
        try {
            const result = await chatStream(client, toBody(request), { signal });
            if (!result.ok) throw result.error;
            for await (const { data } of result.value) yield data satisfies CompletionChunk;
        } catch (error) {
            signal.throwIfAborted();
            throw toExpectedError(error, server);
        }
        signal.throwIfAborted();
    };
}

function toBody(request: ModelRequest) {
    const { model, system, tools, messages, maxOutputTokens, conversationId } = request;
    return {
        model: model.id,
        messages: toVendorMessages(system, messages, model),
        maxTokens: maxOutputTokens,
        promptCacheKey: conversationId,
        ...(model.thinking === "adaptive"
            ? { reasoningEffort: request.thinking ? ("high" as const) : ("none" as const) }
            : {}),
        ...toFunctionTools(tools),
    };
}
