import { createParser } from "eventsource-parser";
import type { ConnectionSettings, ModelConnection, ModelRequest } from "north-cli/plugin";
import {
    BodyMemory,
    failureOf,
    type Limits,
    notStreamed,
    openServer,
    type Server,
    toFailure,
} from "north-cli/provider-kit";
import { errorIn, toVendorError } from "./error-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder } from "./request-body.js";
import { GOOGLE } from "./vendor.js";
import type { Chunk } from "./wire.js";

/**
 * Connects by the kit's HTTP: the vendor's SDK needs Node 22 and would serialize every message
 * anew. Rejects with `no-api-key` or `invalid-request`.
 */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const server = openServer(settings, GOOGLE, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory);

    async function* receive(request: ModelRequest, signal: AbortSignal) {
        signal.throwIfAborted();
        const body = buildBody(request);
        try {
            const path = `models/${encodeURIComponent(request.model.id)}:streamGenerateContent?alt=sse`;
            yield* chunksOf(await send(server, path, signal, body), server);
        } catch (error) {
            signal.throwIfAborted();
            throw failureOf(error, server, () => undefined);
        } finally {
            memory.giveBack(body);
        }
        signal.throwIfAborted();
    }

    return {
        stream: (request, { signal }) => toModelEvents(receive(request, signal), request.messages),
    };
}

/** Checks a key by listing the models, which is free. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const server = openServer(settings, GOOGLE);
    try {
        const response = await send(server, "models?pageSize=1", signal);
        await response.body?.cancel();
    } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, server, () => undefined);
    }
}

async function send(
    { fetch, baseURL, apiKey = "" }: Server,
    path: string,
    signal: AbortSignal,
    body?: Buffer<ArrayBuffer>
): Promise<Response> {
    // Users paste the base URL with or without the version.
    const url = `${baseURL.replace(/\/v1beta$/, "")}/v1beta/${path}`;
    const response = await fetch(url, {
        headers: { "x-goog-api-key": apiKey, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body }),
        signal,
    });
    if (response.ok) return response;
    const { status, headers } = response;
    throw toFailure(toVendorError(errorIn(await response.text()), status, headers), GOOGLE);
}

async function* chunksOf(
    { body, headers }: Response,
    { host }: Server
): AsyncGenerator<Chunk, void> {
    if (/\bjson\b/i.test(headers.get("content-type") ?? "")) throw notStreamed(host);
    if (body === null) return;
    const decoder = new TextDecoder();
    const found: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => found.push(data) });
    for await (const bytes of body) {
        parser.feed(decoder.decode(bytes, { stream: true }));
        for (const data of found.splice(0)) yield JSON.parse(data);
    }
}
