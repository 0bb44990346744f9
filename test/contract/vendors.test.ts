import { expect } from "chai";
import type { Message, ModelConnection, ModelEvent, ModelRequest } from "../../src/plugin/index.js";
import { checkReply } from "../../src/plugin-testing/index.js";
import * as support from "../builtin/providers/support.js";
import {
    KEY,
    LIMITS,
    type PlainReply,
    type PlainScript,
    type VendorLimits,
    type VendorServer,
    VENDORS,
} from "../helpers/vendors/vendors.js";

const { answersTo, failureOf, userSays } = support;

/** In text that is streamed in pieces: the reply may break off behind its first piece. */
const HERE = "§";
const half: PlainReply = { parts: [{ text: `So far ${HERE.repeat(9)}` }] };
const brokenBy = (how: "end" | "reset" | "stall"): PlainReply => ({
    ...half,
    interruption: { afterText: HERE, how },
});
const call = (callId: string, input: object | string = { path: "ä b.ts" }) => ({
    callId,
    name: "read_file",
    input,
});
/** Ids that every vendor takes. */
const [ONE, TWO] = ["call00001", "call00002"];
const IMAGE = { type: "image", mediaType: "image/png", data: "aWNvbg==" } as const;
const PDF = { type: "document", mediaType: "application/pdf", data: "cGFwZXI=" } as const;
const silent = new Promise<never>(() => undefined);
const hello: PlainReply = { parts: [{ text: "Hi" }] };

/** Streams as gateways do: pings, empty data and other events without data between the rest. */
const withBlankEvents: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { status, headers } = response;
    if (!headers.get("content-type")?.startsWith("text/event-stream")) return response;
    const blanks = ["data:", "event: message_start\ndata: ", "event: ping", "retry: 9", ": hi", ""];
    const events = (await response.text()).split("\n\n");
    return new Response(events.flatMap((event) => [...blanks, event]).join("\n\n"), {
        status,
        headers,
    });
};

for (const vendor of VENDORS) {
    describe(`Provider ${vendor.provider.id} and its vendor, with ${vendor.model.id}`, () => {
        let server: VendorServer;

        async function start(script: PlainScript, limits?: VendorLimits): Promise<ModelConnection> {
            server = await vendor.serve(script);
            return vendor.connect({ apiKey: KEY, baseURL: server.url }, limits ?? LIMITS);
        }

        function requestWith(changes: Partial<ModelRequest> = {}): ModelRequest {
            return support.requestWith({ model: vendor.model, ...changes });
        }

        function collect(connection: ModelConnection, changes: Partial<ModelRequest> = {}) {
            return support.collect(connection, requestWith(changes), undefined, vendor.provider.id);
        }

        /** How a reply fails, and what of it came before. */
        async function brokenReply(reply: PlainReply, limits: Partial<VendorLimits> = {}) {
            const connection = await start([reply], { ...LIMITS, ...limits });
            const events: ModelEvent[] = [];
            const { signal } = new AbortController();
            const drain = async () => {
                for await (const event of connection.stream(requestWith(), { signal })) {
                    events.push(event);
                }
            };
            return { error: await failureOf(drain()), events };
        }

        afterEach(async () => {
            await server.close();
        });

        it("Text streams with usage and a stop", async () => {
            const counts = { prompt: 100, cached: 90, answer: 7 };
            const connection = await start([{ parts: [{ text: "Grüße, 世界 🌍" }], counts }]);
            const { events, text, usage } = await collect(connection);
            checkReply(events);
            expect(text).to.equal("Grüße, 世界 🌍");
            expect(events.filter(({ type }) => type === "text").length).to.be.above(1);
            expect(usage).to.include({ inputTokens: 10, cacheReadTokens: 90, outputTokens: 7 });
            expect(events.at(-1)).to.deep.equal({ type: "stop", reason: "end" });
            server.assertDone();
        });

        it("Parallel calls are read, and their results sent back", async () => {
            const connection = await start([
                { parts: [{ text: "Let me look." }, call(ONE), call(TWO, "")] },
                { parts: [{ text: "Done." }] },
            ]);
            const question = userSays("Read it");
            const first = await collect(connection, { messages: [question] });
            checkReply(first.events);
            expect(first.events).to.deep.include({
                type: "tool-call-start",
                callId: ONE,
                name: "read_file",
            });
            expect(first.message.content.slice(1)).to.deep.equal([
                { type: "tool-call", callId: ONE, name: "read_file", input: { path: "ä b.ts" } },
                { type: "tool-call", callId: TWO, name: "read_file", input: {} },
            ]);
            const messages = [question, first.message, answersTo(first.message)];
            expect((await collect(connection, { messages })).text).to.equal("Done.");
            server.assertDone();
        });

        it("Calls with the same id, in one reply and in the next, stay apart", async () => {
            const connection = await start([
                { parts: [call(ONE), call(ONE, '{"path":"b"}')] },
                { parts: [call(ONE)] },
                hello,
            ]);
            const messages: Message[] = [userSays("Read them")];
            for (const inputs of [[{ path: "ä b.ts" }, { path: "b" }], [{ path: "ä b.ts" }], []]) {
                const { events, message } = await collect(connection, { messages: [...messages] });
                checkReply(events);
                const calls = message.content.filter((part) => part.type === "tool-call");
                expect(calls.map(({ input }) => input)).to.deep.equal(inputs);
                messages.push(message, answersTo(message));
            }
            const ids = messages.flatMap(({ content }) =>
                content.flatMap((part) => (part.type === "tool-call" ? part.callId : []))
            );
            expect(new Set(ids)).to.have.property("size", 3);
            server.assertDone();
        });

        it("Images and PDFs of results reach a model that takes them, also the same ones twice", async () => {
            const connection = await start([{ parts: [call(ONE), call(TWO)] }, hello]);
            const question = userSays("Look");
            const { message } = await collect(connection, { messages: [question] });
            const { content, ...results } = answersTo(message);
            const media = [IMAGE, ...(vendor.model.documents ? [PDF] : [])];
            const shown = { ...results, content: content.map((part) => ({ ...part, media })) };
            await collect(connection, { messages: [question, message, shown] });
            server.assertDone();
            const sent = JSON.stringify(server.requests.at(-1)?.body);
            for (const { data } of media) expect(sent.split(data)).to.have.length(3);
        });

        for (const [name, json] of [
            ["is cut off", '{"path": "a'],
            ["is an array", "[1]"],
            ["is a number", "7"],
            ["is null", "null"],
        ] as const) {
            it(`A call whose input ${name} is marked as malformed`, async () => {
                const { message } = await collect(await start([{ parts: [call(ONE, json)] }]));
                expect(message.content).to.deep.equal([
                    {
                        type: "tool-call",
                        callId: ONE,
                        name: "read_file",
                        input: {},
                        malformedInput: json,
                    },
                ]);
            });
        }

        it("Thinking is sent back exactly as it came, also after a restart", async () => {
            const thought = { thought: "Which file? 🤔", proof: "c2lnbmVk" };
            const connection = await start([
                { parts: [thought, call(ONE)] },
                { parts: [{ text: "Done." }] },
            ]);
            const question = userSays("Read it");
            const first = await collect(connection, { messages: [question] });
            checkReply(first.events);
            expect(first.message.content[0]).to.deep.include({
                type: "thinking",
                text: thought.thought,
            });
            const messages = structuredClone([question, first.message, answersTo(first.message)]);
            const again = await vendor.connect({ apiKey: KEY, baseURL: server.url });
            await collect(again, { messages });
            expect(server.requests[1]?.raw.toString()).to.include(thought[vendor.returns]);
            server.assertDone();
        });

        it("An empty reply ends", async () => {
            expect(await collect(await start([{}]))).to.include({ stop: "end", text: "" });
        });

        it("A reply that reached its output limit says so", async () => {
            const connection = await start([{ ...half, end: "max-output" }]);
            expect((await collect(connection)).stop).to.equal("max-output");
        });

        it("A refused reply says so", async () => {
            const connection = await start([{ ...half, end: "refused" }]);
            expect((await collect(connection)).stop).to.equal("refused");
        });

        for (const [status, code, retryable] of [
            [400, "invalid-request", false],
            [401, "authentication", false],
            [403, "authentication", false],
            [404, "invalid-request", false],
            [408, "timeout", true],
            [413, "context-overflow", false],
            [429, "rate-limited", true],
            [500, "server-error", true],
            [502, "server-error", true],
            [503, "overloaded", true],
            [504, "timeout", true],
            [529, "overloaded", true],
        ] as const) {
            it(`Status ${status} is reported as ${code} in the vendor's words and never retried`, async () => {
                const failure = { status, said: "The vendor's words" };
                const { error } = await brokenReply({ failure });
                expect(error).to.include({ code, retryable });
                expect(error.message).to.include("The vendor's words");
                expect(server.requests).to.have.length(1);
            });
        }

        it("A rejected key's error gives a next step and hides the key", async () => {
            await start([hello]);
            const apiKey = "a-wrong-key";
            const wrong = await vendor.connect({ apiKey, baseURL: server.url }, LIMITS);
            const error = await failureOf(collect(wrong));
            expect(error).to.include({ code: "authentication", retryable: false });
            const advice = error.nextSteps.join(" ");
            const { id, keyVariable } = vendor.provider;
            const own = [keyVariable ?? "no variable", `north login ${id}`];
            const renewal = vendor.renewal === undefined ? own : [vendor.renewal];
            for (const words of renewal) expect(advice).to.include(words);
            expect(`${error.message} ${advice}`).to.not.include(apiKey);
        });

        it("A model that is not served suggests choosing another", async () => {
            const { error } = await brokenReply({ failure: { status: 404, said: "no model x" } });
            expect(error.nextSteps.join(" ")).to.include("/model");
        });

        it("A conversation that does not fit suggests a new one", async () => {
            const said = "prompt is too long: 208310 tokens exceeds the maximum context length";
            const { error } = await brokenReply({ failure: { status: 400, said } });
            expect(error).to.include({ code: "context-overflow", retryable: false });
            expect(error.nextSteps.join(" ")).to.include("new conversation");
        });

        const WAITS: readonly (readonly [string, Record<string, string>, number, number])[] = [
            ["seconds", { "retry-after": "7" }, 7_000, 7_000],
            ["milliseconds", { "retry-after-ms": "250", "retry-after": "7" }, 250, 250],
            [
                "a date",
                { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() },
                3_000_000,
                3_600_000,
            ],
        ];
        for (const [name, headers, least, most] of WAITS) {
            it(`The delay before a retry is read from ${name}`, async () => {
                const failure = { status: 429, said: "Slow down", headers };
                const { error } = await brokenReply({ failure });
                expect(error.retryAfterMs).to.be.within(least, most);
            });
        }

        for (const [name, page, code] of [
            ["a page of a gateway", { status: 502, type: "text/html" }, "server-error"],
            ["a stream of it", { status: 200, type: "text/event-stream" }, "incomplete-stream"],
            ["nothing at all", { status: 500, type: "text/plain" }, "server-error"],
        ] as const) {
            it(`The provider survives ${name} and does not show it`, async () => {
                const html = "data: <html><h1>Oops</h1>\n\n";
                const body = page.type === "text/plain" ? "" : html;
                const { error } = await brokenReply({ page: { ...page, body } });
                expect(error).to.include({ code, retryable: true });
                expect(error.message).to.not.include("<h1>").and.not.include("undefined");
            });
        }

        it("A plain text in place of an error is told", async () => {
            const body = "Blocked by the proxy.\n";
            const { error } = await brokenReply({
                page: { status: 403, type: "text/plain", body },
            });
            expect(error.code).to.equal("authentication");
            expect(error.message).to.match(/denied access: Blocked by the proxy\.$/);
        });

        it("A web page in place of a reply is reported at once, and names what to check", async () => {
            const page = { status: 200, type: "text/html", body: "<html><h1>Sign in</h1>" };
            const { error } = await brokenReply({ page });
            expect(error.code).to.equal("network");
            expect(error.retryable).to.not.equal(true);
            expect(error.message).to.include("answered with a web page instead of a model's reply");
            expect(error.nextSteps).to.deep.equal([
                `Check ${vendor.provider.baseURLVariable ?? "`baseURL` in config.json"} and your proxy.`,
            ]);
        });

        it("A reply that comes as one JSON object is not mistaken for a broken stream", async () => {
            const page = { status: 200, type: "application/json", body: '{"choices":[]}' };
            const { error } = await brokenReply({ page });
            expect(error.message).to.match(/does not stream: it sent its reply as one JSON object/);
            expect(error.retryable).to.not.equal(true);
        });

        for (const [name, reply] of [
            ["ends before the reply does", { ...half, end: "none" }],
            ["ends inside a piece of text", brokenBy("end")],
            [
                "ends inside a call",
                {
                    parts: [call(ONE, `{"path":"${HERE}`)],
                    interruption: { afterText: HERE, how: "end" },
                },
            ],
            ["is empty", { interruption: { afterEvents: 0, how: "end" } }],
        ] as const satisfies readonly (readonly [string, PlainReply])[]) {
            it(`A stream that ${name} is incomplete and yields no call`, async () => {
                const { error, events } = await brokenReply(reply);
                expect(error).to.include({ code: "incomplete-stream", retryable: true });
                expect(events.filter(({ type }) => type === "tool-call")).to.deep.equal([]);
            });
        }

        it("An event that makes no sense is a broken reply", async () => {
            const body = "event: message_start\ndata: null\n\n";
            const page = { status: 200, type: "text/event-stream", body };
            const { error } = await brokenReply({ page });
            expect(error).to.include({ code: "incomplete-stream", retryable: true });
            expect(error.message).to.include("could not be read");
        });

        it("Events without data, which keep a stream alive, are ignored", async () => {
            server = await vendor.serve([{ parts: [{ text: "Grüße" }, call(ONE)] }]);
            const settings = { apiKey: KEY, baseURL: server.url, fetch: withBlankEvents };
            const { text, message } = await collect(await vendor.connect(settings, LIMITS));
            expect(text).to.equal("Grüße");
            expect(message.content.at(-1)).to.include({ callId: ONE });
        });

        it("A connection that breaks before the answer is reported", async () => {
            const { error } = await brokenReply({ isResetAtOnce: true });
            expect(error).to.include({ code: "network", retryable: true });
            expect(error.message).to.include("ECONNRESET");
        });

        it("A connection that breaks in the middle is reported after what came before", async () => {
            const { error, events } = await brokenReply(brokenBy("reset"));
            expect(error).to.include({ code: "network", retryable: true });
            expect(events.some(({ type }) => type === "text")).to.equal(true);
        });

        it("An unreachable server is reported", async () => {
            await start([]);
            const { url } = server;
            await server.close();
            const gone = await vendor.connect({ apiKey: KEY, baseURL: url }, LIMITS);
            const error = await failureOf(collect(gone));
            expect(error).to.include({ code: "network", retryable: true });
            expect(error.message).to.include("ECONNREFUSED");
            server = await vendor.serve([]);
        });

        it("An answer that does not begin is given up", async () => {
            const { error } = await brokenReply({ gate: silent }, { requestMs: 50 });
            expect(error).to.include({ code: "timeout", retryable: true });
            await server.allClosed();
        });

        it("A reply that falls silent is abandoned, and its connection closed", async () => {
            const { error, events } = await brokenReply(brokenBy("stall"), { silenceMs: 50 });
            expect(error).to.include({ code: "timeout", retryable: true });
            expect(events.some(({ type }) => type === "text")).to.equal(true);
            await server.allClosed();
        });

        it("The arguments of a long call get time, although they are no events", () => {
            expect(vendor.provider.silenceMs).to.be.at.least(600_000);
        });

        it("The next request works after a failure", async () => {
            const connection = await start([{ failure: { status: 500, said: "Oops" } }, hello]);
            await failureOf(collect(connection));
            expect((await collect(connection)).text).to.equal("Hi");
            server.assertDone();
        });

        it("The connection is reused for the next request", async () => {
            const connection = await start(() => hello);
            for (let turn = 0; turn < 5; turn += 1) await collect(connection);
            // Node's own fetch asks for the second one before it has taken the first one back.
            expect(server.connectionsMade()).to.be.at.most(2);
        });

        it("An injected fetch is used", async () => {
            await start([hello]);
            const asked: string[] = [];
            const injected = await vendor.connect({
                apiKey: KEY,
                baseURL: server.url,
                fetch: (input, init) => {
                    asked.push(input instanceof Request ? input.url : String(input));
                    return fetch(input, init);
                },
            });
            expect((await collect(injected)).text).to.equal("Hi");
            expect(asked.map((url) => url.startsWith(server.url))).to.deep.equal([true]);
        });

        it("A missing key or invalid base URL is refused with a next step", async () => {
            await start([]);
            const { keyVariable, baseURLVariable = "", id } = vendor.provider;
            if (keyVariable !== undefined) {
                const keyless = await failureOf(vendor.connect({ baseURL: server.url }));
                expect(keyless.code).to.equal("no-api-key");
                const steps = keyless.nextSteps.join(" ");
                expect(steps).to.include(keyVariable).and.include(`login ${id}`);
            }
            const lost = await failureOf(vendor.connect({ apiKey: KEY, baseURL: "localhost:80" }));
            expect(lost.code).to.equal("invalid-request");
            expect(lost.nextSteps.join(" ")).to.include(baseURLVariable).and.include("http");
        });

        describe("when cancelled", () => {
            const reason = new Error("Enough");

            async function reasonOf(stream: AsyncIterable<ModelEvent>, onText: () => void) {
                try {
                    for await (const event of stream) if (event.type === "text") onText();
                } catch (error) {
                    return error;
                }
                throw new Error("It was not cancelled");
            }

            async function streamOf(script: PlainScript, signal: AbortSignal) {
                return (await start(script)).stream(requestWith(), { signal });
            }

            it("A cancel in the middle rejects with the signal's reason and closes the connection", async () => {
                const controller = new AbortController();
                const stream = await streamOf([brokenBy("stall")], controller.signal);
                expect(await reasonOf(stream, () => controller.abort(reason))).to.equal(reason);
                await server.allClosed();
            });

            it("A cancel before the answer rejects and closes the connection", async () => {
                const controller = new AbortController();
                const abortsWhenAsked: PlainReply = {
                    get gate() {
                        controller.abort(reason);
                        return silent;
                    },
                };
                const stream = await streamOf(() => abortsWhenAsked, controller.signal);
                expect(await reasonOf(stream, () => undefined)).to.equal(reason);
                await server.allClosed();
            });

            it("A cancel before the request sends nothing", async () => {
                const stream = await streamOf([], AbortSignal.abort(reason));
                expect(await reasonOf(stream, () => undefined)).to.equal(reason);
                expect(server.requests).to.have.length(0);
            });

            it("The connection closes when the reader stops reading", async () => {
                const { signal } = new AbortController();
                const stream = await streamOf([brokenBy("stall")], signal);
                for await (const event of stream) if (event.type === "text") break;
                await server.allClosed();
            });
        });
    });
}
