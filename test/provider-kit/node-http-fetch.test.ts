import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { createNodeHttpFetch } from "../../src/provider-kit/node-http-fetch.js";

describe("fetch on node:http", () => {
    let server: http.Server;
    let url: string;
    const fetch = createNodeHttpFetch();

    async function serve(handle: http.RequestListener): Promise<void> {
        server = http.createServer(handle).listen(0, "127.0.0.1");
        await once(server, "listening");
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    }

    afterEach(async () => {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
    });

    it("Method, headers and bytes are sent, and status, headers and text returned", async () => {
        await serve(async (incoming, response) => {
            const chunks = await incoming.toArray();
            response.writeHead(418, { "x-method": incoming.method, "set-cookie": ["a=1", "b=2"] });
            response.end(`${incoming.headers["x-mine"]}:${Buffer.concat(chunks).toString()}`);
        });
        const response = await fetch(url, {
            method: "POST",
            headers: { "x-mine": "yes" },
            body: Buffer.from("größer"),
        });
        expect(response.status).to.equal(418);
        expect(response.headers.get("x-method")).to.equal("POST");
        expect(response.headers.getSetCookie()).to.deep.equal(["a=1", "b=2"]);
        expect(await response.text()).to.equal("yes:größer");
    });

    it("A Request, as some SDKs make, is sent with its method, headers and body", async () => {
        await serve(async (incoming, response) => {
            const body = Buffer.concat(await incoming.toArray()).toString();
            response.end(`${incoming.method} ${incoming.headers["content-type"]} ${body}`);
        });
        const body = JSON.stringify({ a: "ä" });
        const headers = { "content-type": "application/json" };
        const response = await fetch(new Request(url, { method: "POST", headers, body }));
        expect(await response.text()).to.equal(`POST application/json ${body}`);
    });

    it("A redirect is not followed, because it would take the key to another host", async () => {
        await serve((_incoming, response) => {
            response.writeHead(307, { location: "http://example.org/" }).end();
        });
        expect((await fetch(url)).status).to.equal(307);
    });

    it("An answer without a body is accepted", async () => {
        await serve((_incoming, response) => void response.writeHead(204).end());
        const response = await fetch(url);
        expect(response.body).to.equal(null);
        expect((await fetch(url)).status).to.equal(204);
    });

    for (const [encoding, compress] of [
        ["gzip", gzipSync],
        ["deflate", deflateSync],
        ["br", brotliCompressSync],
    ] as const) {
        it(`A body in ${encoding} is decompressed`, async () => {
            await serve((_incoming, response) => {
                response.writeHead(200, { "content-encoding": encoding });
                response.end(compress("Packed"));
            });
            expect(await (await fetch(url)).text()).to.equal("Packed");
        });
    }

    it("A body beyond the limit fails after decompression, and events are limited one by one", async () => {
        const limited = createNodeHttpFetch({ maxBytes: 1000 });
        const readAll = async (type: string, parts: readonly string[], isPacked?: boolean) => {
            await serve((_incoming, response) => {
                const whole = Buffer.from(parts.join(""));
                response.setHeader("content-type", type);
                if (isPacked) response.setHeader("content-encoding", "gzip");
                response.end(isPacked ? gzipSync(whole) : whole);
            });
            return limited(url)
                .then((response) => response.text())
                .finally(() => server.close());
        };
        const many = (text: string) => Array.from({ length: 100 }, () => text);
        const lengthOf = (type: string, parts: readonly string[], isPacked?: boolean) =>
            readAll(type, parts, isPacked).then(
                ({ length }) => length,
                (error: Error) => error.message
            );
        const [json, events] = ["application/json", "text/event-stream; charset=utf-8"];
        const outcomes = [
            await lengthOf(json, ["x".repeat(1000)]),
            await lengthOf(json, ["x".repeat(1001)]),
            await lengthOf(json, ["x".repeat(100_000)], true),
            await lengthOf(events, many("data: some text\n\n")),
            await lengthOf(events, many("data: some text\r\n\r\n")),
            await lengthOf(events, many("data: some text\r\r")),
            await lengthOf(events, many("data: some text\n")),
            await lengthOf(events, many("data: some text")),
        ];
        const tooLarge = "The reply is larger than 1000 bytes.";
        expect(outcomes).to.deep.equal([
            1000,
            tooLarge,
            tooLarge,
            1700,
            1900,
            1700,
            tooLarge,
            tooLarge,
        ]);
    });

    it("A damaged compressed answer fails", async () => {
        await serve((_incoming, response) => {
            response.writeHead(200, { "content-encoding": "gzip" });
            response.end("not packed at all");
        });
        const response = await fetch(url);
        expect(await response.text().catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it("An answer shorter than announced fails", async () => {
        await serve((_incoming, response) => {
            response.writeHead(200, { "content-length": "100" });
            response.write("short", () => response.destroy());
        });
        const response = await fetch(url);
        expect(await response.text().catch((error: unknown) => error)).to.be.instanceOf(Error);
    });

    it("A fast server waits for a slow reader", async () => {
        const piece = Buffer.alloc(1024 * 1024);
        let sent = 0;
        await serve(async (_incoming, response) => {
            response.on("error", () => undefined);
            for (; sent < 64 && !response.destroyed; sent += 1) {
                if (!response.write(piece)) await once(response, "drain").catch(() => undefined);
            }

            response.end();
        });
        const response = await fetch(url);
        const reader = response.body?.getReader();
        await reader?.read();
        // The server goes on until the buffers of both sides are full, and then it waits.
        let before = -1;
        while (before !== sent) {
            before = sent;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        expect(sent).to.be.below(64);
        await reader?.cancel();
    });
});
