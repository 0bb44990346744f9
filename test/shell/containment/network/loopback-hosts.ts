import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import path from "node:path";

import type { UpstreamAccess } from "../../../../src/shell/containment/network/upstream.js";

const tls = path.resolve("test/fixtures/tls");

export const CERTIFICATE = path.join(tls, "certificate.pem");

/** Hosts of the public internet, which are servers on loopback. */
export class LoopbackHosts {
    /** Requests that arrived, as `METHOD HOST PATH`. */
    readonly arrived: string[] = [];
    /** Bytes that the servers themselves sent and received. */
    readonly carried = { received: 0, sent: 0 };
    /** Names that were looked up. */
    readonly lookedUp: string[] = [];
    readonly addresses = new Map<string, string>();
    private readonly servers: net.Server[] = [];
    private readonly ports = new Map<number, number>();

    /** What the proxy reaches: names end in `.example`, and their servers listen here. */
    readonly reach: Partial<UpstreamAccess> = {
        resolveHost: async (host) => {
            this.lookedUp.push(host);
            const address = this.addresses.get(host) ?? "127.0.0.1";
            return [{ address, family: net.isIP(address) }];
        },
        isPublicAddress: (address) => address === "127.0.0.1",
        portOf: (port) => this.ports.get(port) ?? 9,
    };

    /** Plain HTTP on port 80. */
    async serve(handle: http.RequestListener, port = 80): Promise<void> {
        await this.listen(http.createServer(this.noting(handle)), port);
    }

    /** HTTPS on port 443, with the certificate of the fixtures. */
    async serveTls(handle: http.RequestListener, port = 443): Promise<void> {
        const key = readFileSync(path.join(tls, "key.pem"));
        const cert = readFileSync(CERTIFICATE);
        await this.listen(https.createServer({ key, cert }, this.noting(handle)), port);
    }

    async serveRaw(handle: (socket: net.Socket) => void, port: number): Promise<void> {
        await this.listen(net.createServer(handle), port);
    }

    async close(): Promise<void> {
        await Promise.all(
            this.servers.map(async (server) => {
                server.close();
                if (server instanceof http.Server) server.closeAllConnections();
            })
        );
    }

    private noting(handle: http.RequestListener): http.RequestListener {
        return (request, response) => {
            const { method = "", url = "", headers } = request;
            this.arrived.push(`${method} ${headers.host} ${url}`);
            handle(request, response);
        };
    }

    private async listen(server: net.Server, port: number): Promise<void> {
        this.servers.push(server);
        server.on("connection", (socket: net.Socket) => {
            socket.once("close", () => {
                this.carried.received += socket.bytesWritten;
                this.carried.sent += socket.bytesRead;
            });
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        this.ports.set(port, (server.address() as AddressInfo).port);
    }
}
