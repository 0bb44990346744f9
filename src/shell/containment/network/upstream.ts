import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { getProxyForUrl } from "proxy-from-env";
import { parseProxyUrl } from "../../../base/proxy-url.js";
import {
    type AddressPolicy,
    isPublicAddress,
    type ResolveHost,
    resolveHostBySystem,
} from "../../../base/public-address.js";
import { systemErrorText } from "../../../base/system-error.js";
import { within } from "../../../base/waiting.js";
import type { ProxyTarget } from "./proxy-target.js";

/** How the proxy gets to the machine's network. Only tests replace it. */
export interface UpstreamAccess {
    readonly resolveHost: ResolveHost;
    readonly isPublicAddress: AddressPolicy;
    /** The port to connect to instead of the one that was asked for. */
    portOf(port: number): number;
    /** The user's own proxy for a URL, with its credentials; empty if there is none. */
    proxyFor(url: string): string;
}

const ACCESS: UpstreamAccess = {
    resolveHost: resolveHostBySystem,
    isPublicAddress,
    portOf: (port) => port,
    proxyFor: getProxyForUrl,
};

/** A connection to a host, or for plain HTTP to the user's proxy, which is sent whole URLs. */
export interface Connection {
    readonly socket: Socket;
    readonly proxy?: UserProxy;
}

interface UserProxy {
    /** Without its password. */
    readonly name: string;
    readonly headers: readonly string[];
}

/** Why a permitted host is not reached, as a clause. */
export class Unreachable extends Error {}

/** Connects to permitted hosts: directly, or through a proxy of the user's own. */
export class Upstream {
    private readonly reach: UpstreamAccess;

    constructor(
        reach: Partial<UpstreamAccess> | undefined,
        private readonly connectMs: number
    ) {
        this.reach = { ...ACCESS, ...reach };
    }

    async open(target: ProxyTarget, scheme: "http" | "https"): Promise<Connection> {
        const named = this.reach.proxyFor(`${scheme}://${target.host}:${target.port}/`);
        if (named === "") return { socket: await this.straight(target) };
        const url = parseProxyUrl(named);
        if (url === undefined) {
            throw new Unreachable(
                "the environment's proxy is not one for HTTP; set HTTPS_PROXY, or NO_PROXY for this host"
            );
        }
        await this.checkBefore(target);
        const proxy = { name: url.origin, headers: credentialsOf(url) };
        try {
            const socket = await this.dial(url);
            if (scheme === "http") return { socket, proxy };
            return { socket: await this.tunnel(socket, target, proxy) };
        } catch (error) {
            if (error instanceof Unreachable) throw error;
            throw new Unreachable(`the proxy ${proxy.name} failed (${systemErrorText(error)})`);
        }
    }

    /** Connects to an address that was checked; the name is not looked up again. */
    private async straight({ host, port }: ProxyTarget): Promise<Socket> {
        const { resolveHost, portOf } = this.reach;
        const addresses = await resolveHost(host);
        this.refusePrivate(addresses);
        let failure: unknown = new Unreachable("it has no address");
        for (const { address } of addresses) {
            try {
                const socket = connect({ host: address, port: portOf(port) });
                return await this.connected(socket, "connect");
            } catch (error) {
                failure = error;
            }
        }
        throw failure;
    }

    /** The user's proxy looks the name up itself. Behind it, names may not resolve here at all. */
    private async checkBefore({ host }: ProxyTarget): Promise<void> {
        this.refusePrivate(await this.reach.resolveHost(host).catch(() => []));
    }

    private refusePrivate(addresses: Awaited<ReturnType<ResolveHost>>): void {
        const refused = addresses.find(({ address }) => !this.reach.isPublicAddress(address));
        if (refused) throw new Unreachable(`${refused.address} is not on the public internet`);
    }

    private dial({ protocol, hostname, port }: URL): Promise<Socket> {
        const host = hostname.replace(/^\[|\]$/g, "");
        if (protocol === "http:") {
            return this.connected(connect({ host, port: Number(port || 80) }), "connect");
        }
        const socket = connectTls({ host, port: Number(port || 443), servername: host });
        return this.connected(socket, "secureConnect");
    }

    private connected(socket: Socket, event: string): Promise<Socket> {
        const connected = new Promise<Socket>((resolve, reject) => {
            socket.once(event, () => resolve(socket)).once("error", reject);
        });
        socket.on("error", () => socket.destroy());
        return within(this.connectMs, connected, () => {
            socket.destroy();
            throw new Unreachable("it does not answer");
        });
    }

    private async tunnel(
        socket: Socket,
        { host, port }: ProxyTarget,
        { name, headers }: UserProxy
    ): Promise<Socket> {
        const authority = `${host}:${port}`;
        const asked = request({
            createConnection: () => socket,
            method: "CONNECT",
            path: authority,
            setHost: false,
            headers: ["Host", authority, ...headers],
        });
        const answered = new Promise<number>((resolve, reject) => {
            asked.once("error", reject);
            asked.once("connect", ({ statusCode = 0 }, _, head: Buffer) => {
                if (head.length > 0) socket.unshift(head);
                resolve(statusCode);
            });
        });
        asked.end();
        const status = await within(this.connectMs, answered, () => 0);
        if (status === 200) return socket;
        socket.destroy();
        throw new Unreachable(refusedBy(name, status));
    }
}

/** What the user's proxy means by a status that is not the host's. */
export function refusedBy(proxy: string, status: number): string {
    if (status === 0) return `the proxy ${proxy} does not answer`;
    if (status === 407) return `the proxy ${proxy} wants another user name or password`;
    return `the proxy ${proxy} answered ${status}`;
}

function credentialsOf({ username, password }: URL): string[] {
    if (username === "" && password === "") return [];
    const pair = [username, password].map(decodeURIComponent).join(":");
    return ["Proxy-Authorization", `Basic ${Buffer.from(pair).toString("base64")}`];
}
