import type http from "node:http";
import { checkRequest, type VendorRequest } from "./messages-checks.js";
import { createPromptCache, createThinkingMemory } from "./messages-memory.js";
import { type Reply, toEvents, type VendorCounts } from "./messages-replies.js";
import { googleError, PROJECT } from "./google-server.js";
import {
    check,
    type Delivery,
    isFields,
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
    /** Serve Vertex AI, where the key is an access token, and the URL names the model. */
    readonly isVertex?: boolean;
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

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
const VERTEX_VERSION = "vertex-2023-10-16";
const VERTEX_PATH = new RegExp(
    `^/v1/projects/${PROJECT}/locations/(?:global|[a-z-]+\\d?)/publishers/anthropic/models/` +
        "(claude-[a-z0-9-]+(?:@\\d{8})?):streamRawPredict$"
);

/** The vendor's Messages API on loopback, with scripted replies and strict checks. */
export async function startMessagesServer(options: MessagesServerOptions): Promise<MessagesServer> {
    const counts: VendorCounts[] = [];
    const cache = createPromptCache();
    const memory = createThinkingMemory();
    const { basePath = "", script, apiKey, isVertex = false } = options;
    const server = await startStreamingServer<VendorRequest, Reply>({
        script,
        path: isVertex ? VERTEX_PATH : `${basePath}/v1/messages`,
        ...(apiKey === undefined ? {} : { apiKey }),
        needsKey: true,
        listPath: `${basePath}/v1/models`,
        ...(options.list ? { list: options.list } : {}),
        checkHeaders: isVertex ? checkVertexHeaders : checkHeaders,
        ...(isVertex && { wrongKey: { status: 401, error: WRONG_TOKEN } }),
        // Google's own errors have a code, Claude's a type.
        toErrorBody: (error) =>
            isFields(error) && "code" in error && isVertex
                ? { error }
                : { type: "error", error, request_id: "req_test" },
        check: (parsed, url) => {
            const request = checkRequest(isVertex ? fromVertex(parsed, url) : parsed);
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

const WRONG_TOKEN = googleError(401, "Request had invalid authentication credentials.");

function checkVertexHeaders(headers: http.IncomingHttpHeaders): string | undefined {
    const isToken = "authorization" in headers && !("x-api-key" in headers);
    return isToken ? undefined : "The token must be in authorization alone";
}

/** The request as Anthropic's API would get it. */
function fromVertex(parsed: unknown, url: string): unknown {
    check(isFields(parsed), "the body must be an object");
    const { anthropic_version: version, ...body } = parsed;
    check(version === VERTEX_VERSION, `anthropic_version: Input should be '${VERTEX_VERSION}'`);
    check(!("model" in body), "model: Extra inputs are not permitted");
    return { ...body, model: VERTEX_PATH.exec(url)?.[1]?.replace("@", "-") };
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
