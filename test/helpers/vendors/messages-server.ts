import type http from "node:http";
import { checkRequest, type VendorRequest } from "./messages-checks.js";
import { createPromptCache, createThinkingMemory } from "./messages-memory.js";
import { type Reply, toEvents, type VendorCounts } from "./messages-replies.js";
import {
    type Delivery,
    type ReceivedRequest as Received,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export * from "./messages-replies.js";
export type { VendorBlock, VendorMessage, VendorRequest } from "./messages-checks.js";

export type ReceivedRequest = Received<VendorRequest>;

export interface MessagesServerOptions {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script: readonly Reply[] | ((request: ReceivedRequest) => Reply | undefined);
    /** The only accepted key; any if absent. */
    readonly apiKey?: string;
    /** The response to a list of models. Default: an empty list. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
    /** The path of the base URL, such as `/gateway`. */
    readonly basePath?: string;
    /** Report token counts like the vendor's prompt cache. */
    readonly simulateCache?: boolean;
}

export interface MessagesServer extends StreamingServer<VendorRequest> {
    /** For `ANTHROPIC_BASE_URL` or `baseURL`. */
    readonly url: string;
    /** Usage reported for each answered request. */
    readonly counts: readonly VendorCounts[];
}

const VERSIONS = new Set(["2023-06-01", "2026-10-21"]);

/** The vendor's Messages API on loopback, with scripted replies and strict checks. */
export async function startMessagesServer(options: MessagesServerOptions): Promise<MessagesServer> {
    const counts: VendorCounts[] = [];
    const cache = createPromptCache();
    const memory = createThinkingMemory();
    const { basePath = "", script, apiKey } = options;
    const server = await startStreamingServer<VendorRequest, Reply>({
        script,
        path: `${basePath}/v1/messages`,
        ...(apiKey === undefined ? {} : { apiKey }),
        needsKey: true,
        listPath: `${basePath}/v1/models`,
        ...(options.list ? { list: options.list } : {}),
        checkHeaders,
        toErrorBody: (error) => ({ type: "error", error, request_id: "req_test" }),
        check: (parsed) => {
            const request = checkRequest(parsed);
            memory.check(request);
            return request;
        },
        toEvents: (reply, body) => {
            const counted = {
                ...(options.simulateCache === true ? cache(body) : PLAIN_COUNTS),
                ...reply.usage,
            };
            counts.push(counted);
            memory.remember(body, reply);
            return toEvents(reply, body.model, counted);
        },
    });
    return { ...server, url: `${server.origin}${basePath}`, counts };
}

const PLAIN_COUNTS: VendorCounts = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
};

function checkHeaders(headers: http.IncomingHttpHeaders): string | undefined {
    if (!VERSIONS.has(String(headers["anthropic-version"]))) return "anthropic-version: required";
    if (headers["content-type"] !== "application/json") return "content-type: application/json";
    return undefined;
}
