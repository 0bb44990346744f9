import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { type Limits, withLimits } from "../../src/provider-kit/limits.js";
import { openServer } from "../../src/provider-kit/open-server.js";

const LEAST = { requestMs: 1, silenceMs: 1 };
const ENOUGH = { requestMs: 60_000, silenceMs: 60_000 };

const vendor = { name: "The vendor", id: "vendor", baseURL: "http://127.0.0.1:1" };

/** A `fetch` whose answers have this stream as their body. */
function limited(body: ReadableStream<Uint8Array>, limits: Limits, status = 200): typeof fetch {
    return withLimits(async () => new Response(body, { status }), limits, vendor);
}

/** Bytes without end. */
function endless(onCancel = () => {}): ReadableStream<Uint8Array> {
    const piece = new Uint8Array(1024 * 1024).fill(0x61);
    return new ReadableStream({ pull: (stream) => stream.enqueue(piece), cancel: onCancel });
}

describe("The limits of an answer", () => {
    it("Silence does not count while the reader pauses, because nothing is requested meanwhile", async () => {
        const pieces = ["a", "b", "c"];
        let asked = 0;
        const body = new ReadableStream<Uint8Array>(
            {
                pull(controller) {
                    const piece = pieces[asked];
                    asked += 1;
                    if (piece === undefined) controller.close();
                    else controller.enqueue(Buffer.from(piece));
                },
            },
            { highWaterMark: 0 }
        );
        const response = await limited(body, ENOUGH)("http://a");
        let said = "";
        for await (const piece of response.body ?? []) {
            said += Buffer.from(piece).toString();
            expect(asked).to.equal(said.length);
        }
        expect(said).to.equal("abc");
    });

    it("A silent answer fails with a timeout, and its body is cancelled", async () => {
        let cancelled: unknown;
        const body = new ReadableStream<Uint8Array>({
            cancel: (reason) => {
                cancelled = reason;
            },
        });
        const response = await limited(body, LEAST)("http://a");
        const error = await response.text().catch((failure: unknown) => failure);
        expect(error).to.include({ code: "timeout", retryable: true });
        expect(cancelled).to.equal(error);
    });

    it("A request without an answer fails with a timeout that names the vendor", async () => {
        const deaf: typeof fetch = (_input, init) =>
            new Promise((_resolve, reject) => {
                init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
            });
        const asked = withLimits(deaf, LEAST, vendor)("http://a");
        expect(await asked.catch((failure: unknown) => failure)).to.include({
            code: "timeout",
            message: "The vendor took too long to answer.",
            retryable: true,
        });
    });

    it("A reply without end fails, is cancelled, and is not worth a second try", async () => {
        let isCancelled = false;
        const body = endless(() => {
            isCancelled = true;
        });
        const response = await limited(body, ENOUGH)("http://a");
        const error = await response.arrayBuffer().catch((failure: unknown) => failure);
        expect(error).to.include({ code: "incomplete-stream", retryable: undefined });
        expect(isCancelled).to.equal(true);
    });

    it("The body of an error ends after 64 KB", async () => {
        const response = await limited(endless(), ENOUGH, 500)("http://a");
        expect((await response.arrayBuffer()).byteLength).to.equal(64 * 1024);
    });

    it("A small compressed error that unpacks to 20 MB costs 64 KB, over a real connection", async () => {
        const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x61));
        const server = http.createServer((_incoming, response) => {
            response.writeHead(500, { "content-encoding": "gzip" }).end(bomb);
        });
        await once(server.listen(0, "127.0.0.1"), "listening");
        const { port } = server.address() as AddressInfo;
        const { fetch } = openServer({ baseURL: `http://127.0.0.1:${port}` }, vendor);
        const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
        server.close();
        server.closeAllConnections();
        expect(text).to.equal("a".repeat(64 * 1024));
    });
});
