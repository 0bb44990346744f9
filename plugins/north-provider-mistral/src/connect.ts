import type { CompletionChunk } from "@mistralai/mistralai/models/components";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import { openClient } from "./client.js";
import { toFailure } from "./error-mapping.js";
import { Failure } from "./failure.js";
import { toVendorMessages } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";

/** The limits of a request, in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the answer begins. */
    readonly requestMs: number;
    /** Without an event in the middle of the answer. */
    readonly silenceMs: number;
}

const LIMITS: Limits = { requestMs: 600_000, silenceMs: 60_000 };

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits: Limits = LIMITS
): Promise<ModelConnection> {
    const send = await createSender(settings, limits);
    return {
        stream: (request, { signal }) => toModelEvents(send(request, signal)),
    };
}

async function createSender(settings: ConnectionSettings, limits: Limits) {
    const { client, host } = await openClient(settings);
    const { chatStream } = await import("@mistralai/mistralai/funcs/chatStream.js");
    return async function* (request: ModelRequest, signal: AbortSignal) {
        signal.throwIfAborted();
        const watch = watchSilence(signal, limits);
        try {
            const result = await chatStream(client, toBody(request), { signal: watch.signal });
            if (!result.ok) throw result.error;
            for await (const { data } of result.value) {
                watch.heard();
                yield data satisfies CompletionChunk;
            }
        } catch (error) {
            signal.throwIfAborted();
            throw watch.failure() ?? toFailure(error, host);
        } finally {
            watch.end();
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
        ...(tools.length === 0
            ? {}
            : {
                  tools: tools.map(({ name, description, inputSchema }) => ({
                      type: "function" as const,
                      function: { name, description, parameters: { ...inputSchema } },
                  })),
              }),
    };
}

/** Ends a request whose server says nothing any more. */
function watchSilence(signal: AbortSignal, { requestMs, silenceMs }: Limits) {
    const silence = new AbortController();
    const start = (milliseconds: number) => setTimeout(() => silence.abort(), milliseconds);
    let timer = start(requestMs);
    return {
        signal: AbortSignal.any([signal, silence.signal]),
        heard() {
            clearTimeout(timer);
            timer = start(silenceMs);
        },
        failure: () =>
            silence.signal.aborted
                ? new Failure("timeout", "Mistral took too long to answer.", { retryable: true })
                : undefined,
        end: () => clearTimeout(timer),
    };
}
