import { createParser } from "eventsource-parser";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "north-cli/plugin";
import {
    BodyMemory,
    connectWithFlex,
    failureOf,
    keyHeaders,
    type Limits,
    notStreamed,
    openServer,
    receiveReply,
    type Server,
    toFailure,
    type Vendor,
} from "north-cli/provider-kit";
import { errorIn, toVendorError } from "./error-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder } from "./request-body.js";
import { GOOGLE } from "./vendor.js";
import type { Chunk } from "./wire.js";

/** Connects to the Gemini API. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const open = async (within?: Limits) => {
        const server = openServer(settings, GOOGLE, within);
        return connectTo(server, async (id) =>
            toEndpoint(server, `models/${encodeURIComponent(id)}`)
        );
    };
    return connectWithFlex(open, limits);
}

/** Where a model answers, and the headers that authorize a request. */
export interface Endpoint {
    /** Without the method: `.../models/gemini-3.8-flash`. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
}

/** How to ask a family of models, and how to read its replies. */
export interface Protocol {
    /** Of the model's URL, with its query. */
    readonly method: string;
    readonly prepare: (
        memory: BodyMemory,
        vendor: Vendor
    ) => (request: ModelRequest) => {
        readonly body: Buffer<ArrayBuffer>;
        readonly toModelEvents: (chunks: AsyncIterable<Chunk>) => AsyncIterable<ModelEvent>;
    };
}

/** https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
export const GEMINI: Protocol = {
    method: "streamGenerateContent?alt=sse",
    prepare(memory, vendor) {
        const buildBody = createBodyBuilder(memory, vendor);
        return (request) => ({
            body: buildBody(request),
            toModelEvents: (chunks) => toModelEvents(chunks, request.messages),
        });
    },
};

/**
 * Connects by the kit's HTTP: the vendor's SDK needs Node 22 and would serialize every message
 * again. `endpointOf` finds where a model answers, before each request.
 */
export function connectTo(
    server: Server,
    endpointOf: (modelId: string, signal: AbortSignal) => Promise<Endpoint>,
    { method, prepare }: Protocol = GEMINI
): ModelConnection {
    const memory = new BodyMemory();
    const prepared = prepare(memory, server.vendor);

    async function* send(id: string, body: Buffer<ArrayBuffer>, signal: AbortSignal) {
        const { url, headers } = await endpointOf(id, signal);
        const endpoint = { url: `${url}:${method}`, headers };
        yield* chunksOf(await request(server, endpoint, signal, body), server);
    }

    return {
        stream(asked, { signal }) {
            const { body, toModelEvents: read } = prepared(asked);
            return receiveReply(() => read(send(asked.model.id, body, signal)), {
                signal,
                toFailure: (error) => failureOf(error, server, () => undefined),
                finish: () => memory.giveBack(body),
            });
        },
    };
}

/** Checks a key by listing the models, which is free. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const server = openServer(settings, GOOGLE);
    try {
        const response = await request(server, toEndpoint(server, "models?pageSize=1"), signal);
        await response.body?.cancel();
    } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, server, () => undefined);
    }
}

/** Users paste the base URL with or without the version. */
function toEndpoint(server: Server, path: string): Endpoint {
    const url = `${server.baseURL.replace(/\/v1beta$/, "")}/v1beta/${path}`;
    return { url, headers: keyHeaders(server) };
}

async function request(
    { fetch, vendor }: Server,
    { url, headers: authorization }: Endpoint,
    signal: AbortSignal,
    body?: Buffer<ArrayBuffer>
): Promise<Response> {
    const response = await fetch(url, {
        headers: { ...authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body }),
        signal,
    });
    if (response.ok) return response;
    const { status, headers } = response;
    throw toFailure(toVendorError(errorIn(await response.text()), vendor, status, headers), vendor);
}

async function* chunksOf(
    { body, headers }: Response,
    { host, vendor }: Server
): AsyncGenerator<Chunk, void> {
    if (/\bjson\b/i.test(headers.get("content-type") ?? "")) throw notStreamed(host);
    if (body === null) return;
    // https://ai.google.dev/gemini-api/docs/priority-inference
    const serviceTier = headers.get("x-gemini-service-tier");
    const decoder = new TextDecoder();
    const found: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => found.push(data) });
    for await (const bytes of body) {
        parser.feed(decoder.decode(bytes, { stream: true }));
        for (const data of found.splice(0)) {
            const chunk: Chunk = JSON.parse(data);
            if (chunk.error) throw toFailure(toVendorError(chunk.error, vendor), vendor);
            const { usageMetadata: usage } = chunk;
            yield usage && serviceTier
                ? { ...chunk, usageMetadata: { serviceTier, ...usage } }
                : chunk;
        }
    }
}
