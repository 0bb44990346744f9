import { checkGoogleRequest, type GoogleRequest } from "./google-checks.js";
import {
    type Delivery,
    type Fields,
    pieces,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export type { GoogleRequest } from "./google-checks.js";

/** A scripted reply. */
export interface GoogleReply extends Delivery {
    /** Text is streamed in pieces; its signature comes with the last one. */
    readonly parts?: readonly Fields[];
    /** Default: `STOP`. `null` omits the end. */
    readonly finishReason?: string | null;
    readonly usage?: object;
    /** Replaces the reply's chunks. */
    readonly chunks?: readonly object[];
}

export interface GoogleServerOptions {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script:
        | readonly GoogleReply[]
        | ((request: ReceivedRequest<GoogleRequest>) => GoogleReply | undefined);
    /** The only accepted key; any if absent. */
    readonly apiKey?: string;
    /** Serve Vertex AI, where the key is an access token, and models belong to `PROJECT`. */
    readonly isVertex?: boolean;
    /** The response to a list of models. Default: an empty list. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
}

export interface GoogleServer extends StreamingServer<GoogleRequest> {
    /** For `GOOGLE_GEMINI_BASE_URL` or `baseURL`. */
    readonly url: string;
}

export const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const STATUS: Readonly<Record<number, string>> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
};

/** An error as the vendor words it; `details` as in `google.rpc`. */
export function googleError(code: number, message: string, details?: readonly object[]): object {
    return { code, message, status: STATUS[code] ?? "UNKNOWN", ...(details && { details }) };
}

/** The project on Vertex AI. */
export const PROJECT = "test-project";

const METHOD = "/models/([a-z0-9.-]+):streamGenerateContent\\?alt=sse$";
const PATH = new RegExp(`^/v1beta${METHOD}`);
const VERTEX_PATH = new RegExp(
    `^/v1beta1/projects/${PROJECT}/locations/(?:global|[a-z-]+\\d?)/publishers/google${METHOD}`
);

/** The vendor's `streamGenerateContent` on loopback, with scripted replies and strict checks. */
export async function startGoogleServer(options: GoogleServerOptions): Promise<GoogleServer> {
    const { script, apiKey, isVertex = false } = options;
    const path = isVertex ? VERTEX_PATH : PATH;
    const keyHeader = isVertex ? "authorization" : "x-goog-api-key";
    const signed = new Map<string, unknown>();
    const server = await startStreamingServer<GoogleRequest, GoogleReply>({
        script,
        path,
        ...(apiKey === undefined ? {} : { apiKey }),
        needsKey: true,
        listPath: "/v1beta/models",
        ...(options.list ? { list: options.list } : {}),
        checkHeaders: (headers) =>
            ["authorization", "x-goog-api-key"].some(
                (name) => name in headers !== (name === keyHeader)
            )
                ? `The key must be in ${keyHeader} alone`
                : undefined,
        wrongKey: isVertex
            ? { status: 401, error: googleError(401, "Invalid authentication credentials.") }
            : {
                  status: 400,
                  error: googleError(
                      400,
                      "Incorrect API key provided. Please pass a valid API key.",
                      [{ reason: "API_KEY_INVALID", domain: "googleapis.com" }]
                  ),
              },
        check: (parsed, url) => checkGoogleRequest(parsed, path.exec(url)?.[1] ?? "", signed),
        toEvents: (reply) => {
            for (const { thoughtSignature, functionCall, text } of reply.parts ?? []) {
                if (thoughtSignature) signed.set(String(thoughtSignature), functionCall ?? text);
            }
            return (reply.chunks ?? toChunks(reply)).map((chunk) =>
                Buffer.from(`data: ${JSON.stringify(chunk)}\r\n\r\n`)
            );
        },
    });
    return { ...server, url: server.origin };
}

function toChunks({ parts = [], finishReason = "STOP", usage = USAGE }: GoogleReply): object[] {
    const chunk = (content: readonly object[], rest: object = {}) => ({
        candidates: [{ content: { role: "model", parts: content }, index: 0, ...rest }],
        modelVersion: "test",
        responseId: "response-test",
    });
    const streamed = parts.flatMap((part) => {
        if (typeof part.text !== "string" || part.text === "") return [part];
        const { text, thoughtSignature, ...others } = part;
        const texts = pieces(text);
        return texts.map((piece, index) => ({
            ...others,
            text: piece,
            ...(index === texts.length - 1 && thoughtSignature ? { thoughtSignature } : {}),
        }));
    });
    return [
        ...streamed.map((part) => chunk([part])),
        ...(finishReason === null
            ? []
            : [{ ...chunk([{ text: "" }], { finishReason }), usageMetadata: usage }]),
    ];
}
