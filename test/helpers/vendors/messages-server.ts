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

/** One request as it arrived. */
export type ReceivedRequest = Received<VendorRequest>;

export interface MessagesServerOptions {
    /** The replies in order, or what answers each request; `undefined` means: not expected. */
    readonly script: readonly Reply[] | ((request: ReceivedRequest) => Reply | undefined);
    /** The one key that is accepted; any if absent. */
    readonly apiKey?: string;
    /** How a request for the list of models is answered; with an empty list if absent. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
    /** What the base URL's path is to be: `/gateway`. */
    readonly basePath?: string;
    /** Count tokens as the vendor's prompt cache would. */
    readonly simulateCache?: boolean;
}

export interface MessagesServer extends StreamingServer<VendorRequest> {
    /** For `ANTHROPIC_BASE_URL` or `baseURL`. */
    readonly url: string;
    /** Usage told for each request that was answered. */
    readonly counts: readonly VendorCounts[];
}

const VERSIONS = new Set(["2023-06-01", "2026-10-21"]);

/** The vendor's Messages API on loopback: scripted replies, and none of the vendor's leniency. */
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
