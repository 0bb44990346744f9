import type { CompletionChunk } from "@mistralai/mistralai/models/components";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import { toFailure } from "./error-mapping.js";
import { Failure } from "./failure.js";
import { toVendorMessages } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { readingToTheEnd } from "./whole-body.js";

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
    const { apiKey, baseURL = "https://api.mistral.ai" } = settings;
    if (!apiKey) {
        const nextSteps = ["Set MISTRAL_API_KEY, or run `north login mistral`."];
        throw new Failure("no-api-key", "There is no key for Mistral.", { nextSteps });
    }
    if (!URL.canParse(baseURL) || !/^https?:/.test(baseURL)) {
        const nextSteps = ["Set MISTRAL_BASE_URL to something like https://api.mistral.ai."];
        throw new Failure("invalid-request", `${baseURL} is not a URL of a server.`, { nextSteps });
    }
    const send = await createSender({ ...settings, apiKey, baseURL }, limits);
    return {
        stream: (request, { signal }) => toModelEvents(send(request, signal)),
    };
}

async function createSender(
    settings: ConnectionSettings & { readonly apiKey: string; readonly baseURL: string },
    limits: Limits
) {
    const { MistralCore } = await import("@mistralai/mistralai/core.js");
    const { chatStream } = await import("@mistralai/mistralai/funcs/chatStream.js");
    const { HTTPClient } = await import("@mistralai/mistralai/lib/http.js");
    const { apiKey, baseURL } = settings;
    const send = readingToTheEnd(settings.fetch ?? fetch);
    const { host } = new URL(baseURL);
    const client = new MistralCore({
        apiKey,
        // The SDK adds the version's folder itself.
        serverURL: baseURL.replace(/\/(v1\/?)?$/, ""),
        // North tries again, and shows that it does.
        retryConfig: { strategy: "none" },
        // Otherwise MISTRAL_DEBUG would print keys and prompts on the screen.
        debugLogger: { group() {}, groupEnd() {}, log() {} },
        httpClient: new HTTPClient({ fetcher: (input, init) => send(input, init) }),
    });
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
