import { crc32 } from "node:zlib";
import { type BedrockRequest, checkBedrockRequest } from "./bedrock-checks.js";
import {
    type Delivery,
    type Fields,
    pieces,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export type { BedrockRequest } from "./bedrock-checks.js";

/** A part of a scripted reply. */
export type BedrockBlock =
    | { readonly text: string }
    | { readonly thought: string; readonly signature: string }
    | { readonly redacted: string }
    | { readonly callId: string; readonly name: string; readonly json: string };

export interface BedrockReply extends Delivery {
    readonly blocks?: readonly BedrockBlock[];
    /** Default: by the blocks. `null` omits the end. */
    readonly stopReason?: string | null;
    readonly usage?: object;
    /** Ends the stream with this exception, such as `throttlingException`. */
    readonly exception?: { readonly type: string; readonly message: string };
}

export interface BedrockServerOptions {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script:
        | readonly BedrockReply[]
        | ((request: ReceivedRequest<BedrockRequest>) => BedrockReply | undefined);
    /** The only accepted bearer token; any credentials if absent. */
    readonly apiKey?: string;
}

export interface BedrockServer extends StreamingServer<BedrockRequest> {
    /** For `AWS_ENDPOINT_URL_BEDROCK_RUNTIME` or `baseURL`. */
    readonly url: string;
}

export const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

const PATH = /^\/model\/([^/]+)\/converse-stream$/;
const SIGNED =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/;

/** The vendor's `ConverseStream` on loopback, with scripted replies and strict checks. */
export async function startBedrockServer(options: BedrockServerOptions): Promise<BedrockServer> {
    const { script, apiKey } = options;
    const signed = new Map<string, string>();
    const server = await startStreamingServer<BedrockRequest, BedrockReply>({
        script,
        path: PATH,
        ...(apiKey === undefined ? {} : { apiKey }),
        needsKey: true,
        streamType: "application/vnd.amazon.eventstream",
        wrongKey: { status: 403, ...exception("UnrecognizedClientException", "Invalid API Key") },
        checkHeaders: ({ authorization = "" }) =>
            authorization.startsWith("Bearer ") || SIGNED.test(authorization)
                ? undefined
                : "Authorization header requires 'Credential' and 'Signature' parameters.",
        // https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization
        toErrorBody: (error) => error,
        check: (parsed, url) => {
            const model = decodeURIComponent(PATH.exec(url)?.[1] ?? "");
            return checkBedrockRequest(parsed, model, signed);
        },
        toEvents: (reply) => {
            for (const block of reply.blocks ?? []) {
                if ("thought" in block) signed.set(block.signature, block.thought);
            }
            return toEvents(reply);
        },
    });
    return { ...server, url: server.origin };
}

/** The headers and body of an error response. */
export function exception(type: string, message: string) {
    return { error: { message }, headers: { "x-amzn-errortype": type } };
}

function toEvents({ blocks = [], stopReason, usage = USAGE, exception: fails }: BedrockReply) {
    const isCalling = blocks.some((block) => "callId" in block);
    const reason = stopReason === undefined ? (isCalling ? "tool_use" : "end_turn") : stopReason;
    const events: [string, object][] = [
        ["messageStart", { role: "assistant" }],
        ...blocks.flatMap(toBlockEvents),
    ];
    if (reason !== null && !fails) {
        events.push(["messageStop", { stopReason: reason }]);
        events.push(["metadata", { usage, metrics: { latencyMs: 1 } }]);
    }
    const encoded = events.map(([type, body]) => encode({ type, body, kind: "event" }));
    if (!fails) return encoded;
    const { type, message } = fails;
    return [...encoded, encode({ type, body: { message }, kind: "exception" })];
}

function toBlockEvents(block: BedrockBlock, contentBlockIndex: number): [string, object][] {
    const delta = (delta: Fields): [string, object] => [
        "contentBlockDelta",
        { contentBlockIndex, delta },
    ];
    const stop: [string, object] = ["contentBlockStop", { contentBlockIndex }];
    if ("text" in block) return [...pieces(block.text).map((text) => delta({ text })), stop];
    if ("thought" in block) {
        const { thought, signature } = block;
        const texts = pieces(thought).map((text) => delta({ reasoningContent: { text } }));
        return [...texts, delta({ reasoningContent: { signature } }), stop];
    }
    if ("redacted" in block) {
        return [delta({ reasoningContent: { redactedContent: block.redacted } }), stop];
    }
    const { callId: toolUseId, name, json } = block;
    const start = { toolUse: { toolUseId, name } };
    return [
        ["contentBlockStart", { contentBlockIndex, start }],
        ...pieces(json).map((input) => delta({ toolUse: { input } })),
        stop,
    ];
}

/** https://smithy.io/2.0/aws/amazon-eventstream.html */
function encode({
    type,
    body,
    kind,
}: {
    readonly type: string;
    readonly body: object;
    readonly kind: "event" | "exception";
}): Buffer {
    const headers = Buffer.concat([
        header(`:${kind}-type`, type),
        header(":content-type", "application/json"),
        header(":message-type", kind),
    ]);
    const payload = Buffer.from(JSON.stringify(body));
    const prelude = Buffer.alloc(8);
    prelude.writeUInt32BE(headers.length + payload.length + 16, 0);
    prelude.writeUInt32BE(headers.length, 4);
    const message = Buffer.concat([prelude, sum(prelude), headers, payload]);
    return Buffer.concat([message, sum(message)]);
}

function header(name: string, value: string): Buffer {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(value.length);
    const TEXT = 7;
    return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([TEXT]),
        length,
        Buffer.from(value),
    ]);
}

function sum(bytes: Buffer): Buffer {
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(bytes) >>> 0);
    return checksum;
}
