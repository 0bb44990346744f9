import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import type { Proxy } from "./proxy-agents.js";
import { proxyFor, throughProxy } from "./proxy.js";

/** Bytes read ahead of the consumer before the socket is paused. */
const READ_AHEAD = 64 * 1024;

/** Statuses without a body. */
const BODILESS = new Set([204, 205, 304]);

export interface FetchLimits {
    /**
     * Max bytes of a body, after decompression; of server-sent events, max bytes of one event. A
     * larger one fails while it is read.
     */
    readonly maxBytes?: number;
    /** Called with the error of a body or event that is too large: some SDKs drop it. */
    onTooLarge?(error: Error): void;
}

/**
 * A `fetch` on `node:http(s)` with keep-alive, for bodies that are already bytes: a third of the
 * global one's CPU in a long conversation. Uses the environment's proxy. Supports only method,
 * headers, body and signal of `init`. Follows no redirects, so the key never reaches another host.
 * Rejects with the signal's reason or the system's error.
 */
export function createNodeHttpFetch(limits: FetchLimits = {}): typeof fetch {
    const agents = {
        "http:": new http.Agent({ keepAlive: true }),
        "https:": new https.Agent({ keepAlive: true }),
    };
    return async (...asked) => {
        const { url, init } = await withBytes(...asked);
        if (url.protocol !== "http:" && url.protocol !== "https:") {
            throw new TypeError(`Cannot fetch ${url.protocol}`);
        }

        const response = await exchange(url, init, agents[url.protocol], await proxyFor(url));
        const status = response.statusCode ?? 0;
        const isBodiless = BODILESS.has(status);
        // Even an empty response must be read to its end, or the connection stays busy.
        if (isBodiless) response.resume();
        const isEvents = /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "");
        const limit = limitOf(limits, isEvents);
        const body = isBodiless ? null : toWebStream(await decode(response), limit);
        return new Response(body, {
            status,
            statusText: response.statusMessage ?? "",
            headers: toHeaders(response.rawHeaders),
        });
    };
}

/** Buffers other bodies, and the `Request` objects of some SDKs. */
async function withBytes(input: string | URL | Request, init: RequestInit = {}) {
    const { body } = init;
    const isPlain = body == null || typeof body === "string" || body instanceof Uint8Array;
    if (isPlain && !(input instanceof Request)) return { url: new URL(input), init };
    const whole: RequestInit & { duplex: "half" } = { ...init, duplex: "half" };
    const request = new Request(input, whole);
    const { method, headers, signal } = request;
    const bytes = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    return { url: new URL(request.url), init: { method, headers, signal, body: bytes } };
}

/** Sends the request and resolves once the response headers arrive. */
function exchange(
    url: URL,
    init: RequestInit,
    direct: http.Agent,
    proxy: Proxy | undefined
): Promise<http.IncomingMessage> {
    const { signal, method = "GET" } = init;
    const body = toBytes(init.body);
    const headers = Object.fromEntries(new Headers(init.headers));
    const options = {
        agent: proxy?.agent ?? direct,
        method,
        headers: {
            // Server-sent events are small and must not wait in a compressor.
            "accept-encoding": "identity",
            ...headers,
            ...(body === undefined ? {} : { "content-length": body.byteLength }),
        },
    };
    if (signal?.aborted) return Promise.reject(signal.reason);
    const send = url.protocol === "https:" ? https.request : http.request;
    const request = send(url, options);
    const received = new Promise<http.IncomingMessage>((resolve, reject) => {
        let response: http.IncomingMessage | undefined;
        const abort = () => {
            reject(signal?.reason);
            response?.destroy(signal?.reason);
            request.destroy(signal?.reason);
        };
        signal?.addEventListener("abort", abort, { once: true });
        request.once("response", (incoming) => {
            response = incoming;
            resolve(incoming);
        });
        request.on("error", reject);
        request.once("close", () => signal?.removeEventListener("abort", abort));
    });
    request.end(body);
    return throughProxy(proxy, request, received);
}

function toBytes(body: RequestInit["body"]): Uint8Array | undefined {
    if (body == null) return undefined;
    if (typeof body === "string") return Buffer.from(body);
    if (body instanceof Uint8Array) return body;
    throw new TypeError("Cannot send this body");
}

function toHeaders(raw: readonly string[]): Headers {
    const headers = new Headers();
    for (let index = 0; index + 1 < raw.length; index += 2) {
        headers.append(raw[index] ?? "", raw[index + 1] ?? "");
    }

    return headers;
}

/** Some proxies compress even if asked not to. */
async function decode(response: http.IncomingMessage): Promise<Readable> {
    const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "identity";
    if (!["gzip", "x-gzip", "deflate", "br"].includes(encoding)) return response;
    const [zlib, { pipeline }] = await Promise.all([import("node:zlib"), import("node:stream")]);
    const decoder =
        encoding === "br"
            ? zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH })
            : encoding === "deflate"
              ? zlib.createInflate()
              : zlib.createGunzip();
    // An error in either destroys both; the reader sees it on the decoder.
    pipeline(response, decoder, () => undefined);
    return decoder;
}

/** Throws once there are too many bytes. */
type ChunkLimit = (chunk: Buffer) => void;

function limitOf({ maxBytes = Infinity, onTooLarge }: FetchLimits, isEvents: boolean): ChunkLimit {
    if (maxBytes === Infinity) return () => {};
    const exceed = () => {
        const error = tooLarge(maxBytes);
        onTooLarge?.(error);
        throw error;
    };
    return (isEvents ? eventLimit : bodyLimit)(maxBytes, exceed);
}

function bodyLimit(maxBytes: number, exceed: () => void): ChunkLimit {
    let bytes = 0;
    return (chunk) => {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) exceed();
    };
}

/** An event ends with an empty line; lines end with LF, CR or both. */
function eventLimit(maxBytes: number, exceed: () => void): ChunkLimit {
    let bytes = 0;
    let isLineEmpty = true;
    let previous = 0;
    return (chunk) => {
        for (const byte of chunk) {
            bytes += 1;
            if (bytes > maxBytes) exceed();
            const isSecondHalf = byte === LINE_FEED && previous === CARRIAGE_RETURN;
            const endsLine = byte === LINE_FEED || byte === CARRIAGE_RETURN;
            previous = byte;
            if (isSecondHalf) continue;
            if (endsLine && isLineEmpty) bytes = 0;
            isLineEmpty = endsLine;
        }
    };
}

const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

function tooLarge(maxBytes: number): Error {
    const size = maxBytes < 1024 ** 2 ? `${maxBytes} bytes` : `${maxBytes / 1024 ** 2} MB`;
    return new Error(`The reply is larger than ${size}.`);
}

function toWebStream(source: Readable, limit: ChunkLimit): ReadableStream<Uint8Array> {
    let isOver = false;
    return new ReadableStream<Uint8Array>(
        {
            start(controller) {
                const fail = (error: unknown) => {
                    if (!isOver) controller.error(error);
                    isOver = true;
                };
                source.on("data", (chunk: Buffer) => {
                    if (isOver) return;
                    try {
                        limit(chunk);
                    } catch (error) {
                        fail(error);
                        source.destroy();
                        return;
                    }
                    controller.enqueue(chunk);
                    if ((controller.desiredSize ?? 0) <= 0) source.pause();
                });
                source.once("end", () => {
                    if (!isOver) controller.close();
                    isOver = true;
                });
                source.on("error", fail);
                source.once("close", () => fail(new Error("The connection was closed.")));
            },
            pull() {
                source.resume();
            },
            cancel() {
                isOver = true;
                source.destroy();
            },
        },
        { highWaterMark: READ_AHEAD, size: (chunk) => chunk.byteLength }
    );
}
