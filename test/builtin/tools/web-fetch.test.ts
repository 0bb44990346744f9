import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync, brotliCompressSync } from "node:zlib";
import { expect } from "chai";
import {
    createWebFetch,
    webFetch,
    type WebFetchOptions,
} from "../../../src/builtin/tools/web-fetch.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const onlyLoopback: WebFetchOptions = { isPublicAddress: (address) => address === "127.0.0.1" };

/** This machine, its network and the services of clouds, as addresses may be written. */
const INNER_URLS = [
    ...["http://127.0.0.1:PORT/", "http://127.0.0.1./", "http://127.255.255.254/"],
    ...["http://localhost:PORT/", "http://LocalHost./", "http://evil.localhost/"],
    ...["http://[::1]:PORT/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::1%25lo]/"],
    ...["http://0.0.0.0:PORT/", "http://0/", "http://0x0/", "http://00000000000/"],
    ...["http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/"],
    ...["http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://100.64.0.1/"],
    ...["http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/"],
    // IPv4 in IPv6, 6to4, NAT64, Teredo.
    ...["http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::ffff:10.0.0.1]/"],
    ...["http://[::127.0.0.1]/", "http://[2002:7f00:1::]/", "http://[64:ff9b::7f00:1]/"],
    ...["http://[64:ff9b::a9fe:a9fe]/", "http://[2001::1]/", "http://[::ffff:0:127.0.0.1]/"],
    // Numbers in other forms: decimal, hexadecimal, octal, short, mixed.
    ...["http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://0177.0.0.1/"],
    ...["http://0x7f.0.0.1/", "http://0x7f.1/", "http://127.1/", "http://127.0.1/"],
    ...["http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://10.1/"],
    // Other characters for digits, dots and slashes.
    ...[
        "http://127。0。0。1/",
        "http://127．0．0．1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://１２７.0.0.1/",
    ],
    ...["http://%31%32%37.0.0.1/", "http:\\\\127.0.0.1\\", "http:/127.0.0.1/", "http:127.0.0.1"],
    // Names and passwords that look like hosts.
    ...["http://example.org@127.0.0.1/", "http://example.org:80@[::1]/", "http://127.0.0.1#.a.b/"],
    ...["http:\n//127.0.0.1/"],
];

describe("web_fetch", () => {
    let answer: Answer;
    let requests: string[];
    let origin: string;
    const server = createServer((request, response) => {
        requests.push(`${request.headers.host?.split(":")[0]}${request.url}`);
        answer(request, response);
    });

    before((done) => {
        server.listen(0, "127.0.0.1", () => {
            origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
            done();
        });
    });
    beforeEach(() => {
        requests = [];
    });
    after((done) => {
        server.closeAllConnections();
        server.close(done);
    });

    const send =
        (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Answer =>
        (_request, response) =>
            response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);

    async function fetchUrl(url: string, options: WebFetchOptions = {}, signal?: AbortSignal) {
        const tool = createWebFetch({ ...onlyLoopback, ...options });
        return tool.execute({ url }, await makeToolContext({ ...(signal && { signal }) }));
    }

    async function codeOf(work: Promise<unknown>): Promise<unknown> {
        const error: unknown = await work.then(
            () => "it succeeded",
            (reason: unknown) => reason
        );
        if (!isExpectedError(error)) return error;
        expect(error.nextSteps, `what to do after: ${error.message}`).not.to.be.empty;
        return error.code;
    }

    it("A page is returned as readable text", async () => {
        answer = send("<title>T</title><h1>Hello</h1><p>there <a href='/x'>x</a>");

        expect(dataOf(await fetchUrl(`${origin}/a?b=1#c`))).to.deep.equal({
            url: `${origin}/a?b=1`,
            status: 200,
            contentType: "text/html",
            title: "T",
            text: `# Hello\n\nthere [x](${origin}/x)`,
            truncated: false,
        });
    });

    it("JSON is returned unchanged, and an error page with its status", async () => {
        answer = send('{"a": 1}', { "content-type": "application/json" }, 404);

        const data = dataOf(await fetchUrl(origin));

        expect(data).to.include({ status: 404, text: '{"a": 1}', contentType: "application/json" });
        expect(webFetch.summary?.(data, { url: origin })).to.equal("404, 8 bytes");
    });

    it("A compressed body is decompressed", async () => {
        for (const [encoding, body] of [
            ["gzip", gzipSync("<p>hello")],
            ["br", brotliCompressSync("<p>hello")],
        ] as const) {
            answer = send(body, { "content-encoding": encoding });
            expect(dataOf(await fetchUrl(origin)).text).to.equal("hello");
        }
    });

    it("The model gets 50 KB and is told when there is more", async () => {
        answer = send("é".repeat(40_000), { "content-type": "text/plain" });

        const data = dataOf(await fetchUrl(origin));

        expect(data.truncated).to.equal(true);
        expect(data.text).to.have.length(25_600);
    });

    describe("limits", () => {
        it("More than 5 MB is refused, whether announced, streamed or decompressed", async () => {
            const large = Buffer.alloc(5 * 1024 * 1024 + 1, "a");
            answer = send(large);
            expect(await codeOf(fetchUrl(origin))).to.equal("too-large");

            answer = (_request, response) => {
                response.writeHead(200, { "content-type": "text/plain" });
                response.write(large);
                response.end();
            };
            expect(await codeOf(fetchUrl(origin))).to.equal("too-large");

            answer = send(gzipSync(large), { "content-encoding": "gzip" });
            expect(await codeOf(fetchUrl(origin))).to.equal("too-large");
        });

        it("Anything but text is refused without loading it", async () => {
            answer = (_request, response) => {
                response.writeHead(200, {
                    "content-type": "image/png",
                    "content-length": "999999",
                });
                response.write("x");
            };

            expect(await codeOf(fetchUrl(origin))).to.equal("unsupported-type");
        });

        it("A fetch that takes too long ends, before and after the headers", async () => {
            answer = () => undefined;
            expect(await codeOf(fetchUrl(origin, { timeoutMs: 50 }))).to.equal("timeout");

            answer = (_request, response) => {
                response.writeHead(200, { "content-type": "text/plain" });
                response.write("x");
            };
            expect(await codeOf(fetchUrl(origin, { timeoutMs: 200 }))).to.equal("timeout");
        });

        it("A slow name lookup is cancelled", async () => {
            const options = {
                timeoutMs: 50,
                resolveHost: () => new Promise<never>(() => undefined),
            };

            expect(
                await codeOf(fetchUrl(origin.replace("127.0.0.1", "localhost"), options))
            ).to.equal("timeout");
        });

        it("Cancelling ends a fetch", async () => {
            const controller = new AbortController();
            answer = () => controller.abort();

            const error = await codeOf(fetchUrl(origin, {}, controller.signal));

            expect(error).to.include({ name: "AbortError" });
        });
    });

    describe("redirects", () => {
        const redirectTo = (target: (url: string) => string | undefined): Answer => {
            return (request, response) => {
                const location = target(request.url ?? "");
                if (location === undefined) response.end("arrived");
                else response.writeHead(302, { location }).end();
            };
        };

        it("Up to five redirects on the same host are followed", async () => {
            const countdown = redirectTo((url) =>
                url === "/0" ? undefined : `/${+url.slice(1) - 1}`
            );

            answer = countdown;
            expect(dataOf(await fetchUrl(`${origin}/5`))).to.include({
                url: `${origin}/0`,
                text: "arrived",
            });
            expect(requests).to.have.length(6);

            answer = countdown;
            expect(await codeOf(fetchUrl(`${origin}/6`))).to.equal("too-many-redirects");
        });

        it("A redirect to another host is returned to the model, so that the user is asked", async () => {
            const elsewhere = origin.replace("127.0.0.1", "localhost");
            answer = redirectTo(() => `${elsewhere}/there`);

            const error = errorOf(await fetchUrl(`${origin}/here`));

            expect(error.code).to.equal("redirected");
            expect(error.message).to.contain(`${elsewhere}/there`);
            expect(requests).to.deep.equal(["127.0.0.1/here"]);
        });

        it("A redirect to another port is returned to the model, so that the user is asked", async () => {
            const other = origin.replace(/\d+$/, "9");
            answer = redirectTo(() => `${other}/there`);

            expect(errorOf(await fetchUrl(`${origin}/here`)).code).to.equal("redirected");
            expect(requests).to.deep.equal(["127.0.0.1/here"]);
        });

        for (const location of [
            "file:///etc/passwd",
            "http://2130706433/",
            "http://u:p@127.0.0.1/",
        ]) {
            it(`A redirect to ${location} is refused`, async () => {
                answer = redirectTo(() => location);

                expect(await codeOf(fetchUrl(origin))).to.equal("invalid-url");
                expect(requests).to.have.length(1);
            });
        }
    });

    describe("only reaches the public internet", () => {
        it("The resolved address must be public", async () => {
            const options = { resolveHost: async () => [{ address: "10.0.0.1", family: 4 }] };

            const work = fetchUrl(origin.replace("127.0.0.1", "localhost"), options);

            expect(await codeOf(work)).to.equal("address-refused");
            expect(requests).to.deep.equal([]);
        });

        it("All of a name's addresses must be public", async () => {
            const options = {
                resolveHost: async () => [
                    { address: "127.0.0.1", family: 4 },
                    { address: "::1", family: 6 },
                ],
            };

            const work = fetchUrl(origin.replace("127.0.0.1", "localhost"), options);

            expect(await codeOf(work)).to.equal("address-refused");
        });

        it("The address that is connected to must be public, however the name's answer changes", async () => {
            let lookups = 0;
            answer = send("<p>inside");
            const options = {
                resolveHost: async () => {
                    lookups++;
                    return [{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
                },
            };

            const url = origin.replace("127.0.0.1", "localhost");
            expect(dataOf(await fetchUrl(url, options)).text).to.equal("inside");
            expect(lookups).to.equal(1);
        });

        it("The address is checked again at each redirect", async () => {
            let lookups = 0;
            answer = (_request, response) => response.writeHead(301, { location: "/next" }).end();
            const options = {
                resolveHost: async () => {
                    lookups++;
                    return [{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
                },
            };

            const work = fetchUrl(origin.replace("127.0.0.1", "localhost"), options);

            expect(await codeOf(work)).to.equal("address-refused");
            expect(requests).to.deep.equal(["localhost/"]);
        });

        it("web_fetch refuses this machine by default", async () => {
            const context = await makeToolContext();
            for (const url of [origin, origin.replace("127.0.0.1", "localhost"), "http://[::1]/"]) {
                expect(await codeOf(webFetch.execute({ url }, context)), url).to.equal(
                    "address-refused"
                );
            }
            expect(requests).to.deep.equal([]);
        });
    });

    describe("asks", () => {
        const questionOf = (url: string) => webFetch.question({ url });
        const refusalOf = (url: string): unknown => {
            try {
                return questionOf(url);
            } catch (error) {
                return isExpectedError(error) ? error.code : error;
            }
        };

        it("The user is asked about the host, however it is written", () => {
            expect(questionOf("https://Example.ORG:8443/a b#c")).to.deep.equal({
                sentence: "Fetch https://example.org:8443/a%20b from the web?",
                key: "host:example.org:8443",
            });
            for (const url of ["http://example.org./", "https://example.org:443/"]) {
                expect(questionOf(url).key).to.equal("host:example.org");
            }
            expect(questionOf("https://bücher.example/").key).to.equal(
                "host:xn--bcher-kva.example"
            );
        });

        it("A name with other letters than a to z is asked about after any number of others", () => {
            // URL.canParse refuses it once V8 has optimized its caller, after some thousand calls.
            for (let count = 0; count < 50_000; count++) {
                questionOf(`https://example.org/${count % 9}`);
            }
            const keys = new Set<unknown>();
            for (let count = 0; count < 2_000; count++) {
                keys.add(questionOf("https://bücher.example/").key);
            }
            expect([...keys]).to.deep.equal(["host:xn--bcher-kva.example"]);
        });

        it("URLs that are not web pages are refused without a question", () => {
            for (const url of [
                "example.org",
                "",
                "file:///etc/passwd",
                "ftp://example.org/",
                "javascript:alert(1)",
                "https://user:secret@example.org/",
                "https://user@example.org/",
            ]) {
                expect(refusalOf(url), url).to.equal("invalid-url");
            }
        });

        it("58 spellings of this machine or its network are refused without a question or a connection", async () => {
            expect(INNER_URLS).to.have.length(58);
            const port = Number(new URL(origin).port);
            const resolveHost = async () => [{ address: "127.0.0.1", family: 4 }];
            const tool = createWebFetch({ resolveHost });
            const context = await makeToolContext();
            for (const url of INNER_URLS) {
                expect(refusalOf(url), url).to.be.oneOf(["invalid-url", "address-refused"]);
                const here = url.replace("PORT", String(port));
                expect(await codeOf(tool.execute({ url: here }, context)), url).to.be.oneOf([
                    "invalid-url",
                    "address-refused",
                ]);
            }
            expect(requests).to.deep.equal([]);
        });
    });

    it("An unreachable host is explained in one sentence", async () => {
        answer = (request) => request.socket.destroy();

        const error: unknown = await fetchUrl(origin).catch((reason: unknown) => reason);

        expect(isExpectedError(error) && error.code).to.equal("network");
        expect(String(error)).to.contain("ECONNRESET");
    });
});
