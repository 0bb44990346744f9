import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { checkRequest, type VendorRequest } from "./messages-checks.js";
import { createPromptCache, createThinkingMemory } from "./messages-memory.js";
import { type Reply, toEvents, type VendorCounts } from "./messages-replies.js";
import { readAll, trackSockets, write } from "./streaming-server.js";

export * from "./messages-replies.js";
export type { VendorBlock, VendorMessage, VendorRequest } from "./messages-checks.js";

/** One request as it arrived. */
export interface ReceivedRequest {
    readonly body: VendorRequest;
    readonly raw: Buffer;
    readonly headers: http.IncomingHttpHeaders;
}

export interface MessagesServerOptions {
    /** The replies in order, or what answers each request; `undefined` means: not expected. */
    readonly script: readonly Reply[] | ((request: ReceivedRequest) => Reply | undefined);
    /** The one key that is accepted; any if absent. */
    readonly apiKey?: string;
    /** What the base URL's path is to be: `/gateway`. */
    readonly basePath?: string;
    /** Count tokens as the vendor's prompt cache would. */
    readonly simulateCache?: boolean;
}

export interface MessagesServer {
    /** For `ANTHROPIC_BASE_URL` or `baseURL`. */
    readonly url: string;
    readonly requests: readonly ReceivedRequest[];
    /** Usage told for each request that was answered. */
    readonly counts: readonly VendorCounts[];
    /** What went wrong on the client's side: refused requests, requests after the script's end. */
    readonly problems: readonly string[];
    /** Connections open now. */
    openConnections(): number;
    /** Resolves when there is no open connection. */
    allClosed(): Promise<void>;
    /** Throws unless every scripted reply was used and no request was refused. */
    assertDone(): void;
    close(): Promise<void>;
}

const VERSIONS = new Set(["2023-06-01", "2026-10-21"]);

/** The vendor's Messages API on loopback: scripted replies, and none of the vendor's leniency. */
export async function startMessagesServer(options: MessagesServerOptions): Promise<MessagesServer> {
    const requests: ReceivedRequest[] = [];
    const counts: VendorCounts[] = [];
    const problems: string[] = [];
    const replies = Array.isArray(options.script) ? [...(options.script as Reply[])] : undefined;
    const cache = createPromptCache();
    const memory = createThinkingMemory();
    const { basePath = "" } = options;

    const refuse = (response: http.ServerResponse, status: number, type: string, why: string) => {
        problems.push(why);
        sendError(response, status, type, why);
    };

    const handle = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
        const raw = await readAll(incoming);
        if (incoming.method !== "POST" || incoming.url !== `${basePath}/v1/messages`) {
            const where = `${incoming.method} ${incoming.url}`;
            return refuse(response, 404, "not_found_error", `${where}: Not found`);
        }
        const badHeader = checkHeaders(incoming.headers);
        if (badHeader !== undefined) {
            return refuse(response, 400, "invalid_request_error", badHeader);
        }
        if (options.apiKey !== undefined && keyIn(incoming.headers) !== options.apiKey) {
            return sendError(response, 401, "authentication_error", "invalid x-api-key");
        }
        const body = checkRequest(parse(raw));
        if (typeof body === "string") {
            return refuse(response, 400, "invalid_request_error", body);
        }
        const badThinking = memory.check(body);
        if (badThinking !== undefined) {
            return refuse(response, 400, "invalid_request_error", badThinking);
        }
        const received = { body, raw, headers: incoming.headers };
        requests.push(received);
        const reply =
            typeof options.script === "function" ? options.script(received) : replies?.shift();
        if (reply === undefined) {
            const why = `request ${requests.length} comes after the end of the script`;
            return refuse(response, 500, "api_error", why);
        }
        const counted = {
            ...(options.simulateCache === true ? cache(body) : PLAIN_COUNTS),
            ...reply.usage,
        };
        counts.push(counted);
        memory.remember(body, reply);
        await answer(response, reply, toEvents(reply, body.model, counted));
    };

    const server = http.createServer((incoming, response) => {
        handle(incoming, response).catch((error: unknown) => {
            problems.push(String(error));
            response.destroy();
        });
    });
    const sockets = trackSockets(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${port}${basePath}`,
        requests,
        counts,
        problems,
        openConnections: () => sockets.size,
        allClosed: async () => {
            await Promise.all([...sockets].map((socket) => once(socket, "close")));
        },
        assertDone: () => {
            const left = replies?.length ?? 0;
            const said = [...problems, ...(left > 0 ? [`${left} replies were not used`] : [])];
            if (said.length > 0) throw new Error(`Messages server: ${said.join("; ")}`);
        },
        close: async () => {
            server.close();
            server.closeAllConnections();
            await once(server, "close");
        },
    };
}

const PLAIN_COUNTS: VendorCounts = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
};

function parse(raw: Buffer): unknown {
    try {
        return JSON.parse(raw.toString());
    } catch {
        return undefined;
    }
}

function keyIn(headers: http.IncomingHttpHeaders): string {
    return String(headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "") ?? "");
}

function checkHeaders(headers: http.IncomingHttpHeaders): string | undefined {
    if (!VERSIONS.has(String(headers["anthropic-version"]))) return "anthropic-version: required";
    if (keyIn(headers) === "") return "x-api-key: required";
    if (headers["content-type"] !== "application/json") return "content-type: application/json";
    return undefined;
}

async function answer(
    response: http.ServerResponse,
    reply: Reply,
    events: readonly Buffer[]
): Promise<void> {
    await reply.gate;
    if (reply.isResetAtOnce === true) return void response.socket?.resetAndDestroy();
    if (reply.failure !== undefined) {
        const { status, type, message, headers } = reply.failure;
        return sendError(response, status, type, message, headers);
    }
    const { interruption } = reply;
    const sent = Buffer.concat(events.slice(0, interruption?.afterEvents));
    response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        ...(reply.isGzipped === true ? { "content-encoding": "gzip" } : {}),
    });
    response.flushHeaders();
    await write(response, reply.isGzipped === true ? gzipSync(sent) : sent, reply.pieceSizes);
    if (interruption === undefined || interruption.how === "end") return void response.end();
    if (interruption.how === "reset") response.socket?.resetAndDestroy();
}

function sendError(
    response: http.ServerResponse,
    status: number,
    type: string,
    message: string,
    headers: Readonly<Record<string, string>> = {}
): void {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ type: "error", error: { type, message } }));
}
