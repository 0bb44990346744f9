import { checkResponsesRequest, type ResponsesRequest } from "./responses-checks.js";
import { createPrefixCache, type PromptCounts } from "./prefix-cache.js";
import { itemOf, type ResponsesReply, toEvents } from "./responses-replies.js";
import {
    type Delivery,
    check,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export * from "./responses-replies.js";
export type { ResponsesRequest } from "./responses-checks.js";

export interface ResponsesServerOptions {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script:
        | readonly ResponsesReply[]
        | ((request: ReceivedRequest<ResponsesRequest>) => ResponsesReply | undefined);
    readonly apiKey?: string;
    /** The response to a list of models. Default: an empty list. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
    /** The path of the base URL. Default: `/v1`. */
    readonly basePath?: string;
    /** The query that each request must have, as Azure's `?api-version=`. */
    readonly query?: string;
    /** The only header for the key, as Azure's `api-key`. */
    readonly keyHeader?: string;
    /** Whether the organization is unverified, and so gets no summaries. */
    readonly isUnverified?: boolean;
    /** Report token counts like the vendor's prompt cache. */
    readonly simulateCache?: boolean;
}

export interface ResponsesServer extends StreamingServer<ResponsesRequest> {
    /** For `OPENAI_BASE_URL` or `baseURL`. */
    readonly url: string;
    /** Counts of the simulated cache for each answered request. */
    readonly counts: readonly PromptCounts[];
    /** From now on, all earlier reasoning counts as another organization's. */
    forgetReasoning(): void;
}

/** The vendor's Responses API on loopback, with scripted replies and strict checks. */
export async function startResponsesServer(
    options: ResponsesServerOptions
): Promise<ResponsesServer> {
    const { basePath = "/v1", query = "", keyHeader = "authorization" } = options;
    const cache = createPrefixCache();
    const counts: PromptCounts[] = [];
    /** Reasoning that it wrote, as it must come back. */
    const issued = new Map<string, string>();

    const checkIssued = ({ model, input }: ResponsesRequest) => {
        for (const item of input) {
            if (item.type !== "reasoning") continue;
            const id = String(item.id);
            check(
                issued.get(id) === JSON.stringify([model, item]),
                `The encrypted content for item ${id} could not be verified.`,
                { code: "invalid_encrypted_content", param: null }
            );
        }
    };

    const server = await startStreamingServer<ResponsesRequest, ResponsesReply>({
        script: options.script,
        path: `${basePath}/responses${query}`,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
        needsKey: true,
        listPath: `${basePath}/models`,
        checkHeaders: (headers) =>
            ["authorization", "api-key"].some((name) => name in headers !== (name === keyHeader))
                ? `The key must be in ${keyHeader} alone`
                : undefined,
        ...(options.list ? { list: options.list } : {}),
        check: (parsed) => {
            const request = checkResponsesRequest(parsed);
            check(
                options.isUnverified !== true || request.reasoning?.summary === undefined,
                "Your organization must be verified to generate reasoning summaries.",
                { code: "unsupported_value", param: "reasoning.summary" }
            );
            checkIssued(request);
            return request;
        },
        toEvents: (reply, { model, include = [], tools = [], instructions, input }) => {
            const isEncrypted = include.includes("reasoning.encrypted_content");
            (reply.blocks ?? []).forEach((block, index) => {
                if (block.type !== "reasoning" || !isEncrypted) return;
                issued.set(block.id, JSON.stringify([model, itemOf(block, index)]));
            });
            if (options.simulateCache !== true) return toEvents(reply, model);
            const counted = cache(model, [...tools, instructions, ...input]);
            counts.push(counted);
            return toEvents({ usage: usageOf(counted), ...reply }, model);
        },
    });
    return {
        ...server,
        counts,
        url: `${server.origin}${basePath}${query}`,
        forgetReasoning: () => issued.clear(),
    };
}

function usageOf({ promptTokens, cachedTokens }: PromptCounts): object {
    return {
        input_tokens: promptTokens,
        input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: promptTokens + 10,
    };
}
