import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** Where a reply is cut off. */
export interface Interruption {
    /** Events sent before it; all if absent. */
    readonly afterEvents?: number;
    /** Cut off after the first event with this text. */
    readonly afterText?: string;
    /**
     * `end`: the body ends as if complete. `reset`: the socket is reset. `stall`: nothing more
     * arrives.
     */
    readonly how: "end" | "reset" | "stall";
}

/** A response with a status other than 200. */
export interface Failure {
    readonly status: number;
    readonly error: unknown;
    readonly headers?: Readonly<Record<string, string>>;
}

/** How a reply is delivered, whatever its content. */
export interface Delivery {
    /** An error response with the vendor's fields. */
    readonly failure?: Failure;
    /** A response other than an event stream, such as a gateway's page. */
    readonly page?: { readonly status: number; readonly type: string; readonly body: string };
    /** The connection is reset before any response. */
    readonly isResetAtOnce?: boolean;
    readonly interruption?: Interruption;
    readonly isGzipped?: boolean;
    /** Chunk sizes, cycled. They may split characters. */
    readonly pieceSizes?: readonly number[];
    /** The response waits for this. */
    readonly gate?: Promise<unknown>;
    /** Headers of the stream, besides its own. */
    readonly headers?: Readonly<Record<string, string>>;
}

/** A valid request. */
export interface ReceivedRequest<Body> {
    readonly body: Body;
    readonly raw: Buffer;
    readonly headers: http.IncomingHttpHeaders;
}

/** Why a request is rejected. */
export class Rejection extends Error {
    constructor(
        message: string,
        readonly fields: Readonly<Record<string, unknown>> = {}
    ) {
        super(message);
    }
}

/** Throws a `Rejection` unless the condition holds. */
export function check(
    condition: boolean,
    message: string,
    fields?: Readonly<Record<string, unknown>>
): asserts condition {
    if (!condition) throw new Rejection(message, fields);
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface StreamingServerOptions<Body, Reply extends Delivery> {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script: readonly Reply[] | ((request: ReceivedRequest<Body>) => Reply | undefined);
    /** The path of the only endpoint, with its query. */
    readonly path: string | RegExp;
    /** The only accepted key; any if absent. */
    readonly apiKey?: string;
    /** Whether a key is required. */
    readonly needsKey: boolean;
    /** Checks the vendor's other headers. Returns an error message. */
    checkHeaders?(headers: http.IncomingHttpHeaders): string | undefined;
    /** Wraps the fields of an error. Default: `{error}`. */
    toErrorBody?(error: unknown): unknown;
    /** The response to a wrong key. Default: 401. */
    readonly wrongKey?: Failure;
    /** Throws a `Rejection` if the vendor would reject the request to this URL. */
    check(parsed: unknown, url: string): Body;
    /** The media type of a stream. Default: `text/event-stream`. */
    readonly streamType?: string;
    /** The encoded events of a reply. */
    toEvents(reply: Reply, body: Body): readonly Buffer[];
    /** The path of the list of models, which requires the key. */
    readonly listPath?: string;
    /** The response to a list of models. Default: an empty list. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
    /** Responses to GET requests, by path. */
    readonly resources?: Readonly<Record<string, unknown>>;
}

export interface StreamingServer<Body> {
    /** The origin, without a path. */
    readonly origin: string;
    readonly requests: readonly ReceivedRequest<Body>[];
    /** The client's faults: rejected requests, and requests after the end of the script. */
    readonly problems: readonly string[];
    openConnections(): number;
    /** Total connections so far. */
    connectionsMade(): number;
    /** Resolves once no connection is open. */
    allClosed(): Promise<void>;
    /** Throws if a scripted reply is unused or a request was rejected. */
    assertDone(): void;
    close(): Promise<void>;
}

/** A vendor's streaming endpoint on loopback, with scripted replies and strict checks. */
export async function startStreamingServer<Body, Reply extends Delivery>(
    options: StreamingServerOptions<Body, Reply>
): Promise<StreamingServer<Body>> {
    const requests: ReceivedRequest<Body>[] = [];
    const problems: string[] = [];
    const { script, toErrorBody = (error: unknown) => ({ error }) } = options;
    const replies = typeof script === "function" ? undefined : [...script];

    const sendError = (response: http.ServerResponse, { status, error, headers }: Failure) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(toErrorBody(error)));
    };

    const refuse = (
        response: http.ServerResponse,
        status: number,
        why: string,
        fields?: Fields
    ) => {
        problems.push(why);
        const error = { message: why, type: "invalid_request_error", ...fields };
        sendError(response, { status, error });
    };

    const handle = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
        const raw = await readAll(incoming);
        const { url = "" } = incoming;
        const resource = options.resources?.[url];
        if (incoming.method === "GET" && resource !== undefined) return send(response, resource);
        const isList = incoming.method === "GET" && url.split("?")[0] === options.listPath;
        if (!isList && (incoming.method !== "POST" || !isAt(url, options.path))) {
            return refuse(response, 404, `Invalid URL (${incoming.method} ${url})`);
        }

        const key = keyIn(incoming.headers);
        if (options.needsKey ? key === "" : key !== "") {
            return refuse(response, 401, `A key was ${key === "" ? "not " : ""}sent`);
        }

        if (options.apiKey !== undefined && key !== options.apiKey) {
            return sendError(response, options.wrongKey ?? { status: 401, error: WRONG_KEY });
        }

        if (isList) {
            await options.list?.gate;
            if (options.list?.failure) return sendError(response, options.list.failure);
            return send(response, { object: "list", data: [], has_more: false });
        }
        const badHeader = options.checkHeaders?.(incoming.headers);
        if (badHeader !== undefined) return refuse(response, 400, badHeader);
        const body = checked(raw, (parsed) => options.check(parsed, url));
        if (body instanceof Rejection) return refuse(response, 400, body.message, body.fields);
        const received = { body, raw, headers: incoming.headers };
        requests.push(received);
        const reply = typeof script === "function" ? script(received) : replies?.shift();
        if (reply === undefined) {
            return refuse(response, 500, `request ${requests.length} is after the script's end`);
        }

        await reply.gate;
        if (reply.failure !== undefined) return sendError(response, reply.failure);
        const { streamType = "text/event-stream; charset=utf-8" } = options;
        const headers = { "content-type": streamType, ...reply.headers };
        await answer(response, { ...reply, headers }, options.toEvents(reply, body));
    };

    const server = http.createServer((incoming, response) => {
        handle(incoming, response).catch((error: unknown) => {
            problems.push(String(error));
            response.destroy();
        });
    });
    const sockets = trackSockets(server);
    let made = 0;
    server.on("connection", () => (made += 1));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
        origin: `http://127.0.0.1:${port}`,
        requests,
        problems,
        openConnections: () => sockets.size,
        connectionsMade: () => made,
        allClosed: async () => {
            await Promise.all([...sockets].map((socket) => once(socket, "close")));
        },
        assertDone: () => {
            const left = replies?.length ?? 0;
            const said = [...problems, ...(left > 0 ? [`${left} replies were not used`] : [])];
            if (said.length > 0) throw new Error(`Scripted server: ${said.join("; ")}`);
        },
        close: async () => {
            server.close();
            server.closeAllConnections();
            await once(server, "close");
        },
    };
}

/** Splits text into pieces of about equal length, never inside a character. */
export function pieces(content: string, length?: number): string[] {
    const characters = [...content];
    const size = length ?? Math.max(1, Math.ceil(characters.length / 3));
    const parts: string[] = [];
    for (let at = 0; at < characters.length; at += size) {
        parts.push(characters.slice(at, at + size).join(""));
    }

    return parts;
}

function checked<Body>(raw: Buffer, checkBody: (parsed: unknown) => Body): Body | Rejection {
    try {
        return checkBody(JSON.parse(raw.toString()));
    } catch (error) {
        if (error instanceof Rejection) return error;
        if (error instanceof SyntaxError) return new Rejection("We could not parse the JSON body");
        throw error;
    }
}

/** The open connections. */
export function trackSockets(server: http.Server): ReadonlySet<Socket> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
    });
    return sockets;
}

/** The whole body of a request. */
export async function readAll(incoming: http.IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
}

function isAt(url: string, path: string | RegExp): boolean {
    return typeof path === "string" ? url === path : path.test(url);
}

function keyIn(headers: http.IncomingHttpHeaders): string {
    const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["api-key"];
    return String(key ?? headers.authorization?.replace(/^Bearer /, "") ?? "");
}

const WRONG_KEY = {
    message: "Incorrect API key provided",
    type: "authentication_error",
    code: "invalid_api_key",
};

async function answer(
    response: http.ServerResponse,
    delivery: Delivery,
    events: readonly Buffer[]
): Promise<void> {
    const { page, interruption, isGzipped = false } = delivery;
    if (delivery.isResetAtOnce === true) return void response.socket?.resetAndDestroy();
    if (page !== undefined) {
        return void response.writeHead(page.status, { "content-type": page.type }).end(page.body);
    }

    const sent = Buffer.concat(eventsBefore(interruption, events));
    response.writeHead(200, {
        ...(isGzipped ? { "content-encoding": "gzip" } : {}),
        ...delivery.headers,
    });
    response.flushHeaders();
    await write(response, isGzipped ? gzipSync(sent) : sent, delivery.pieceSizes);
    if (interruption === undefined || interruption.how === "end") return void response.end();
    if (interruption.how === "reset") response.socket?.resetAndDestroy();
}

function eventsBefore(
    interruption: Interruption | undefined,
    events: readonly Buffer[]
): readonly Buffer[] {
    const { afterText, afterEvents } = interruption ?? {};
    if (afterText === undefined) return events.slice(0, afterEvents);
    const last = events.findIndex((event) => event.includes(afterText));
    if (last < 0) throw new Error(`No event has the text ${afterText}`);
    return events.slice(0, last + 1);
}

/** Sends bytes in chunks of these sizes, cycled. */
export async function write(
    response: http.ServerResponse,
    bytes: Buffer,
    sizes: readonly number[] = [bytes.length]
): Promise<void> {
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = Math.max(1, sizes[turn % sizes.length] ?? bytes.length);
        // Wait for each, so that chunks do not merge on the wire.
        await new Promise<void>((resolve) => {
            response.write(bytes.subarray(at, at + size), () => setImmediate(resolve));
        });
        if (response.destroyed) return;
        at += size;
    }
}

function send(response: http.ServerResponse, body: unknown): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
}
