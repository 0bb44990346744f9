import { checkResponsesRequest, type ResponsesRequest } from "./responses-checks.js";
import { itemOf, type ResponsesReply, toEvents } from "./responses-replies.js";
import {
    check,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export * from "./responses-replies.js";
export type { ResponsesRequest } from "./responses-checks.js";

export interface ResponsesServerOptions {
    /** The replies in order, or what answers each request; `undefined` means: not expected. */
    readonly script:
        | readonly ResponsesReply[]
        | ((request: ReceivedRequest<ResponsesRequest>) => ResponsesReply | undefined);
    readonly apiKey?: string;
    /** What the base URL's path is to be; `/v1` if absent. */
    readonly basePath?: string;
    /** The organisation is not verified: it is refused summaries. */
    readonly isUnverified?: boolean;
}

export interface ResponsesServer extends StreamingServer<ResponsesRequest> {
    /** For `OPENAI_BASE_URL` or `baseURL`. */
    readonly url: string;
    /** From now on all reasoning so far is another organisation's. */
    forgetReasoning(): void;
}

/** The vendor's Responses API on loopback: scripted replies, and none of the vendor's leniency. */
export async function startResponsesServer(
    options: ResponsesServerOptions
): Promise<ResponsesServer> {
    const { basePath = "/v1" } = options;
    /** The reasoning it wrote, as it must come back. */
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
        path: `${basePath}/responses`,
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
        needsKey: true,
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
        toEvents: (reply, { model, include = [] }) => {
            const isEncrypted = include.includes("reasoning.encrypted_content");
            (reply.blocks ?? []).forEach((block, index) => {
                if (block.type !== "reasoning" || !isEncrypted) return;
                issued.set(block.id, JSON.stringify([model, itemOf(block, index)]));
            });
            return toEvents(reply, model);
        },
    });
    return {
        ...server,
        url: `${server.origin}${basePath}`,
        forgetReasoning: () => issued.clear(),
    };
}
