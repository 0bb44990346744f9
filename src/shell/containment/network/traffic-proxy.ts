import {
    createServer,
    type IncomingMessage,
    request,
    type Server,
    type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HostAccess, HostTraffic } from "../../../base/host-traffic.js";
import { systemErrorText } from "../../../base/system-error.js";
import { within } from "../../../base/waiting.js";
import { HostLedger, type TrafficLimits } from "./host-ledger.js";
import {
    isSameTarget,
    parseAbsoluteForm,
    parseAuthority,
    type ProxyTarget,
} from "./proxy-target.js";
import { MAX_HELLO, serverNameIn } from "./server-name.js";
import {
    type Connection,
    type UpstreamAccess,
    refusedBy,
    Unreachable,
    Upstream,
} from "./upstream.js";

export interface TrafficProxyOptions extends HostAccess {
    readonly reach?: Partial<UpstreamAccess>;
    readonly limits?: Partial<TrafficLimits>;
}

const LIMITS: TrafficLimits = {
    connections: 256,
    hosts: 50,
    receivedBytes: 4 * 1024 ** 3,
    sentBytes: 256 * 1024 ** 2,
    startMs: 30_000,
    connectMs: 15_000,
    idleMs: 120_000,
};

const USUAL_PORT = { http: 80, https: 443 };

/** Headers for the next hop only, see RFC 9110, 7.6.1; framing is generated again. */
const HOP_BY_HOP = new Set(
    "connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade expect".split(
        " "
    )
);

/**
 * An HTTP proxy for contained commands. It looks up and reaches only hosts that were permitted, and
 * no address that is not public. A tunnel carries TLS for the host that it was opened for; a plain
 * request is parsed and serialized again, so both sides read the same one.
 */
export class TrafficProxy {
    readonly server: Server;
    private readonly ledger: HostLedger;
    private readonly limits: TrafficLimits;
    private readonly upstream: Upstream;
    private readonly permits = new Map<string, Promise<{ readonly refused?: string }>>();

    constructor(private readonly options: TrafficProxyOptions) {
        this.limits = { ...LIMITS, ...options.limits };
        this.upstream = new Upstream(options.reach, this.limits.connectMs);
        this.ledger = new HostLedger(this.limits);
        const { startMs, connections } = this.limits;
        this.server = createServer({
            maxHeaderSize: 16 * 1024,
            headersTimeout: startMs,
            // The run's own time limit ends a long upload.
            requestTimeout: 0,
            connectionsCheckingInterval: Math.min(startMs, 5_000),
            keepAliveTimeout: startMs,
        });
        this.server.maxConnections = connections;
        this.server.on("connection", (socket) => this.ledger.watch(socket));
        // The ledger decides; without a listener Node would end the connection.
        this.server.on("timeout", () => {});
        this.server.on("connect", (message, socket, head: Buffer) => {
            socket.on("error", () => socket.destroy());
            this.tunnel(message, socket, head).catch(() => socket.destroy());
        });
        this.server.on("request", (message, response) => {
            this.forward(message, response).catch(() => response.destroy());
        });
    }

    traffic(): readonly HostTraffic[] {
        return this.ledger.traffic();
    }

    close(): void {
        this.server.close();
        this.ledger.close();
    }

    private async tunnel(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
        const target = parseAuthority(message.url ?? "");
        const refuse = (reason: string) => {
            this.ledger.refuse(target?.name ?? message.url ?? "", reason);
            socket.end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nNorth: ${reason}\n`);
        };
        const reached = await this.reached(target, message, "https");
        if (typeof reached === "string") return refuse(reached);
        const { socket: upstream, name, host } = reached;
        upstream.once("close", () => socket.destroy());
        socket.once("close", () => upstream.destroy());
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        const hello = await within(this.limits.startMs, readHello(socket, head), () => undefined);
        const problem = hello === undefined ? "no TLS hello arrived" : problemWith(hello, host);
        if (hello === undefined || problem !== undefined) {
            this.ledger.refuse(name, problem ?? "");
            upstream.destroy();
            return;
        }
        upstream.write(hello);
        await Promise.all([pipeline(socket, upstream), pipeline(upstream, socket)]);
    }

    private async forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
        const parsed = parseAbsoluteForm(message.url ?? "");
        const refuse = (reason: string) => {
            this.ledger.refuse(parsed?.target.name ?? message.url ?? "", reason);
            response.writeHead(403, { connection: "close", "content-type": "text/plain" });
            response.end(`North: ${reason}\n`);
        };
        // A proxy of the user's would answer with what it was sent: its own password.
        if (message.method === "TRACE") return refuse("TRACE is not forwarded");
        const reached = await this.reached(parsed?.target, message, "http");
        if (typeof reached === "string" || parsed === undefined) return refuse(String(reached));
        const { socket: upstream, proxy } = reached;
        response.once("close", () => upstream.destroy());
        const sent = request({
            createConnection: () => upstream,
            method: message.method,
            path: proxy ? `http://${authorityOf(parsed.target)}${parsed.path}` : parsed.path,
            setHost: false,
            headers: [...requestHeaders(message, parsed.target), ...(proxy?.headers ?? [])],
        });
        const answered = new Promise<IncomingMessage>((resolve, reject) => {
            sent.once("response", resolve).once("error", reject);
            upstream.once("close", () => reject(new Error("The host closed the connection.")));
        });
        // A host may answer before it has read the body.
        pipeline(message, sent).catch(() => {});
        const answer = await answered;
        // Only a proxy gives this answer, and the command could do nothing about it.
        if (proxy && answer.statusCode === 407) return refuse(refusedBy(proxy.name, 407));
        if (answer.statusCode === 401) this.ledger.wantLogin(parsed.target.name);
        const headers = endToEnd(answer).flat();
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
        await pipeline(answer, response);
    }

    /** Connects to a permitted target; else why not. */
    private async reached(
        target: ProxyTarget | undefined,
        message: IncomingMessage,
        scheme: "http" | "https"
    ): Promise<string | (Connection & { name: string; host: string })> {
        if (target === undefined) return "not a host name with a port that commands can reach";
        const { name, host } = target;
        const hosts = message.headersDistinct.host ?? [];
        if (!hosts.every((each) => isSameTarget(each, target, USUAL_PORT[scheme]))) {
            return "the Host header names another host";
        }
        if (!this.permits.has(name) && this.permits.size >= this.limits.hosts) {
            return "too many hosts";
        }
        const permitted = this.permits.get(name) ?? this.options.permit(name);
        this.permits.set(name, permitted);
        const { refused } = await this.ledger.whileWaiting(message.socket, permitted);
        if (refused !== undefined) return refused;
        try {
            const connection = await this.upstream.open(target, scheme);
            this.ledger.count(name, connection.socket);
            return { ...connection, name, host };
        } catch (error) {
            if (error instanceof Unreachable) return error.message;
            return `it cannot be reached (${systemErrorText(error)})`;
        }
    }
}

function problemWith(hello: Buffer, host: string): string | undefined {
    const found = serverNameIn(hello);
    if (found.kind === "invalid") return found.reason;
    if (found.kind === "incomplete") return "its TLS hello is incomplete";
    return found.name.toLowerCase() === host ? undefined : "its TLS hello names another host";
}

/** What a client sends until its TLS hello is complete or cannot be one. */
async function readHello(socket: Duplex, head: Buffer): Promise<Buffer | undefined> {
    let bytes = head;
    while (serverNameIn(bytes).kind === "incomplete") {
        if (bytes.length > MAX_HELLO || socket.readableEnded || socket.destroyed) return undefined;
        const piece = socket.read() as Buffer | null;
        if (piece !== null) bytes = Buffer.concat([bytes, piece]);
        else await readable(socket);
    }
    return bytes;
}

function readable(socket: Duplex): Promise<void> {
    return new Promise((resolve) => {
        const events = ["readable", "end", "close"] as const;
        const wake = () => {
            for (const event of events) socket.off(event, wake);
            resolve();
        };
        for (const event of events) socket.on(event, wake);
    });
}

function authorityOf({ host, port }: ProxyTarget): string {
    return port === USUAL_PORT.http ? host : `${host}:${port}`;
}

function requestHeaders(message: IncomingMessage, target: ProxyTarget): string[] {
    const kept = endToEnd(message).filter(([name]) => name.toLowerCase() !== "host");
    const isChunked = message.headers["transfer-encoding"] !== undefined;
    return [
        ...["Host", authorityOf(target)],
        ...kept.flat(),
        ...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
        ...["Connection", "close"],
    ];
}

/** A message's headers without those for this connection only. */
function endToEnd({ rawHeaders, headers }: IncomingMessage): (readonly [string, string])[] {
    const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
    const dropped = new Set([...HOP_BY_HOP, ...named]);
    // Without its length, what follows would be read as another request.
    dropped.delete("content-length");
    return rawHeaders.flatMap((name, index) =>
        index % 2 === 0 && !dropped.has(name.toLowerCase())
            ? [[name, rawHeaders[index + 1] ?? ""] as const]
            : []
    );
}
