import type { CompletionChunk } from "@mistralai/mistralai/models/components";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import { type Limits, receiveReply, toFunctionTools } from "north-cli/provider-kit";
import { openClient } from "./client.js";
import { toExpectedError } from "./error-mapping.js";
import { toVendorMessages } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const { client, server } = await openClient(settings, limits);
    const { chatStream } = await import("@mistralai/mistralai/funcs/chatStream.js");
    const toFailure = (error: unknown) => toExpectedError(error, server);

    async function* send(request: ModelRequest, signal: AbortSignal) {
        const result = await chatStream(client, toBody(request), { signal });
        if (!result.ok) throw result.error;
        for await (const { data } of result.value) yield data satisfies CompletionChunk;
    }

    return {
        stream(request, { signal }) {
            const receive = () => toModelEvents(send(request, signal), request.messages);
            return receiveReply(receive, { signal, toFailure });
        },
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
