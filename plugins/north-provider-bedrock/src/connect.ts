import { Readable } from "node:stream";
import type {
    BedrockRuntimeClientConfig,
    ConverseStreamOutput,
} from "@aws-sdk/client-bedrock-runtime";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import {
    type Limits,
    notStreamed,
    openServer,
    plainText,
    receiveReply,
    type Server,
    toFailure,
} from "north-cli/provider-kit";
import { toExpectedError } from "./error-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { type PreparedRequest, toRequest } from "./request-input.js";
import { BEDROCK } from "./vendor.js";

/**
 * Connects through the vendor's SDK, whose credential chain reads the environment, profiles, SSO
 * and roles. Credentials are looked up at the first request. Rejects with `invalid-request`.
 */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const server = openServer(settings, BEDROCK, limits);
    // Otherwise the SDK prints a warning on Node 20, where this version of it works.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
    const { BedrockRuntimeClient, ConverseStreamCommand } =
        await import("@aws-sdk/client-bedrock-runtime");
    const handler = requestHandler(server);
    const client = new BedrockRuntimeClient({
        ...(settings.baseURL && { endpoint: server.baseURL }),
        ...(settings.apiKey && bearing(settings.apiKey)),
        // North retries itself, visibly.
        maxAttempts: 1,
        requestHandler: handler,
    });

    async function* receive({ input }: PreparedRequest, abortSignal: AbortSignal) {
        const { stream } = await client.send(new ConverseStreamCommand(input), { abortSignal });
        const events = stream?.[Symbol.asyncIterator]();
        // Not `yield*`, which waits for the next event when the reader stops.
        for (;;) {
            const next = await events?.next();
            if (!next || next.done) break;
            yield next.value satisfies ConverseStreamOutput;
        }
    }

    return {
        stream(request: ModelRequest, { signal }) {
            const prepared = toRequest(request);
            const abandoned = new AbortController();
            const abortSignal = AbortSignal.any([signal, abandoned.signal]);
            const read = () =>
                toModelEvents(receive(prepared, abortSignal), request, prepared.fingerprint);
            return receiveReply(read, {
                signal,
                toFailure: (error) => toExpectedError(error, { ...server, host: handler.host() }),
                finish: () => abandoned.abort(),
            });
        },
    };
}

/** A Bedrock API key, as in AWS_BEARER_TOKEN_BEDROCK. */
function bearing(token: string): Partial<BedrockRuntimeClientConfig> {
    return { token: { token }, authSchemePreference: ["httpBearerAuth"] };
}

/** What the SDK's handlers take and give. */
interface HttpRequest {
    readonly method: string;
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number;
    readonly path: string;
    readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: BodyInit;
}

/** Sends the SDK's requests through North's `fetch`, with its limits, proxies and connections. */
function requestHandler({ fetch, host: configured }: Server) {
    let host = configured;
    return {
        /** The last one that was asked. */
        host: () => host,
        metadata: { handlerProtocol: "http/1.1" },
        async handle(request: HttpRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
            const url = urlOf(request);
            ({ host } = url);
            const { method, body, headers } = request;
            // `fetch` sets the same values itself.
            const { host: _host, "content-length": _length, ...others } = headers;
            const response = await fetch(url, {
                ...{ method, headers: others },
                ...(body === undefined ? {} : { body }),
                ...(abortSignal && { signal: abortSignal }),
            });
            const isJson = /\bjson\b/i.test(response.headers.get("content-type") ?? "");
            // The SDK takes a gateway's page for a broken reply of the vendor.
            if (response.ok ? isJson && url.pathname.endsWith("-stream") : !isJson) {
                if (response.ok) {
                    void response.body?.cancel().catch(() => undefined);
                    throw notStreamed(host);
                }
                const said = plainText(await response.text());
                const error = { status: response.status, headers: response.headers };
                throw toFailure({ ...error, ...(said && { said }) }, BEDROCK);
            }
            return {
                response: {
                    statusCode: response.status,
                    reason: response.statusText,
                    headers: Object.fromEntries(response.headers),
                    body: Readable.from(response.body ?? [], { objectMode: false }),
                },
            };
        },
        updateHttpClientConfig() {},
        httpHandlerConfigs: () => ({}),
        destroy() {},
    };
}

function urlOf({ protocol, hostname, port, path, query = {} }: HttpRequest): URL {
    const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ""}${path}`);
    for (const [name, values] of Object.entries(query)) {
        for (const value of [values].flat()) url.searchParams.append(name, value ?? "");
    }
    return url;
}
