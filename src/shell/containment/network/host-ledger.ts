import type { Socket } from "node:net";
import type { HostTraffic } from "../../../base/host-traffic.js";

export interface TrafficLimits {
    readonly connections: number;
    readonly hosts: number;
    readonly receivedBytes: number;
    readonly sentBytes: number;
    /** Max time to send a request's headers or a TLS hello. */
    readonly startMs: number;
    /** Max time to connect to one address. */
    readonly connectMs: number;
    /** Max time in which nothing is sent in either direction. */
    readonly idleMs: number;
}

type Account = {
    -readonly [Fact in keyof HostTraffic as Exclude<Fact, "host">]: HostTraffic[Fact];
};

/** An open connection: what it has carried for its host so far. */
interface Live {
    readonly account: Account;
    received(): number;
    sent(): number;
}

const CHECK_MS = 250;
/** The longest name in DNS, with a port: a refused name is one that the user may allow. */
const MAX_NAME = 253 + ":65535".length;

/** Counts what a run exchanges with each host, and ends what exceeds the limits. */
export class HostLedger {
    private readonly accounts = new Map<string, Account>();
    private readonly upstream = new Map<Socket, Live>();
    private readonly clients = new Set<Socket>();
    private readonly waiting = new Set<Socket>();
    private readonly check = setInterval(() => this.limit(), CHECK_MS).unref();

    constructor(
        private readonly limits: Pick<
            TrafficLimits,
            "hosts" | "idleMs" | "receivedBytes" | "sentBytes"
        >
    ) {}

    watch(socket: Socket): void {
        this.clients.add(socket);
        socket.once("close", () => this.clients.delete(socket));
        socket.setTimeout(this.limits.idleMs);
        socket.on("timeout", () => {
            if (!this.waiting.has(socket)) socket.destroy();
        });
    }

    /** The wait for an answer does not count as idle. */
    async whileWaiting<Value>(socket: Socket, answer: Promise<Value>): Promise<Value> {
        this.waiting.add(socket);
        try {
            return await answer;
        } finally {
            this.waiting.delete(socket);
        }
    }

    /** Counts a connection to a host as a request, and what it carries from now on. */
    count(host: string, socket: Socket): void {
        const account = this.account(host);
        account.requests += 1;
        const { bytesRead, bytesWritten } = socket;
        const live: Live = {
            account,
            received: () => socket.bytesRead - bytesRead,
            sent: () => socket.bytesWritten - bytesWritten,
        };
        this.upstream.set(socket, live);
        socket.once("close", () => {
            this.upstream.delete(socket);
            account.received += live.received();
            account.sent += live.sent();
        });
    }

    refuse(host: string, reason: string): void {
        if (this.accounts.size >= 2 * this.limits.hosts && !this.accounts.has(host)) return;
        this.account(host.slice(0, MAX_NAME)).refused = reason;
    }

    wantLogin(host: string): void {
        this.account(host).wantsLogin = true;
    }

    traffic(): readonly HostTraffic[] {
        return [...this.accounts].map(([host, account]) => {
            const live = [...this.upstream.values()].filter((each) => each.account === account);
            return {
                host,
                ...account,
                received: live.reduce((sum, each) => sum + each.received(), account.received),
                sent: live.reduce((sum, each) => sum + each.sent(), account.sent),
            };
        });
    }

    close(): void {
        clearInterval(this.check);
        for (const socket of [...this.clients, ...this.upstream.keys()]) socket.destroy();
    }

    private limit(): void {
        const totals = this.traffic();
        const received = totals.reduce((sum, each) => sum + each.received, 0);
        const sent = totals.reduce((sum, each) => sum + each.sent, 0);
        if (received <= this.limits.receivedBytes && sent <= this.limits.sentBytes) return;
        for (const [socket, { account }] of this.upstream) {
            account.refused = "it exchanged more than a contained command may";
            socket.destroy();
        }
    }

    private account(host: string): Account {
        const account = this.accounts.get(host) ?? { requests: 0, received: 0, sent: 0 };
        this.accounts.set(host, account);
        return account;
    }
}
