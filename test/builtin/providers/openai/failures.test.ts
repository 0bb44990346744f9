import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { expect } from "chai";
import {
    failure,
    functionCall,
    reply,
    type ResponsesReply,
    type ResponsesServer,
    startResponsesServer,
    text,
} from "../../../helpers/responses-server.js";
import type { ModelEvent } from "../../../../src/plugin/index.js";
import { failureOf } from "../support.js";
import { collect, connectTo, LIMITS, requestWith } from "./support.js";

describe("failures of OpenAI", () => {
    let server: ResponsesServer;

    async function start(script: readonly ResponsesReply[], limits = LIMITS) {
        server = await startResponsesServer({ script });
        return connectTo(server.url, limits);
    }

    async function failureAfter(script: readonly ResponsesReply[], limits = LIMITS) {
        return failureOf(collect(await start(script, limits)));
    }

    afterEach(async () => {
        await server.close();
    });

    for (const [status, code, expected, retryable] of [
        [400, "invalid_value", "invalid-request", false],
        [400, "context_length_exceeded", "context-overflow", false],
        [401, "invalid_api_key", "authentication", false],
        [403, "unsupported_country_region_territory", "authentication", false],
        [404, "model_not_found", "invalid-request", false],
        [408, null, "timeout", true],
        [413, null, "context-overflow", false],
        [429, "rate_limit_exceeded", "rate-limited", true],
        [429, "insufficient_quota", "rate-limited", false],
        [500, "server_error", "server-error", true],
        [502, null, "server-error", true],
        [503, "server_is_overloaded", "overloaded", true],
    ] as const) {
        it(`reports ${status} with ${code ?? "no code"} as ${expected}`, async () => {
            const error = { message: "The vendor's words", code };
            const found = await failureAfter([failure(status, error)]);
            expect(found).to.include({ code: expected, retryable });
            expect(found.message).to.include("The vendor's words");
            expect(server.requests).to.have.length(1);
        });
    }

    it("tells what to do about a key that is not accepted, without showing it", async () => {
        const error = await failureAfter([failure(401, { message: "Incorrect API key" })]);
        expect(error.nextSteps.join(" ")).to.match(/OPENAI_API_KEY.*north login openai/);
        expect(error.message).to.not.include("test-key");
    });

    it("tells that another model can be chosen where one is not served", async () => {
        const error = await failureAfter([failure(404, { message: "no gpt-x" })]);
        expect(error.nextSteps.join(" ")).to.include("/model");
    });

    it("tells to look at the bill where the quota is spent", async () => {
        const error = await failureAfter([failure(429, { code: "insufficient_quota" })]);
        expect(error.nextSteps.join(" ")).to.include("billing");
    });

    for (const [name, headers, expected] of [
        ["seconds", { "retry-after": "7" }, 7_000],
        ["milliseconds", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ] as const) {
        it(`reads how long to wait from ${name}`, async () => {
            const error = await failureAfter([failure(429, { message: "Slow" }, headers)]);
            expect(error.retryAfterMs).to.equal(expected);
        });
    }

    for (const [code, expected, retryable] of [
        ["server_error", "server-error", true],
        ["rate_limit_exceeded", "rate-limited", true],
        ["insufficient_quota", "rate-limited", false],
        ["context_length_exceeded", "context-overflow", false],
        ["invalid_prompt", "invalid-request", false],
        ["never_heard_of", "server-error", true],
    ] as const) {
        it(`reports a reply that failed with ${code} as ${expected}`, async () => {
            const error = { code, message: "The vendor's words" };
            const found = await failureAfter([{ blocks: [text("So")], status: "failed", error }]);
            expect(found).to.include({ code: expected, retryable });
            expect(found.message).to.include("The vendor's words");
        });
    }

    for (const [name, streamError] of [
        ["flat", { code: "rate_limit_exceeded", message: "Slow down", param: null }],
        ["nested", { error: { code: "rate_limit_exceeded", message: "Slow down" } }],
    ] as const) {
        it(`reports a ${name} error inside the stream`, async () => {
            const error = await failureAfter([{ blocks: [text("So f")], streamError }]);
            expect(error).to.include({ code: "rate-limited", retryable: true });
            expect(error.message).to.include("Slow down");
        });
    }

    it("yields what came before the stream broke", async () => {
        const connection = await start([
            { blocks: [text("So far")], interruption: { afterEvents: 6, how: "end" } },
        ]);
        const events: ModelEvent[] = [];
        const { signal } = new AbortController();
        const drain = async () => {
            for await (const event of connection.stream(requestWith(), { signal })) {
                events.push(event);
            }
        };
        expect((await failureOf(drain())).code).to.equal("incomplete-stream");
        expect(events.some((event) => event.type === "text")).to.equal(true);
    });

    for (const [name, broken] of [
        ["ends before the reply does", { blocks: [text("So")], status: null }],
        [
            "ends inside a call",
            {
                blocks: [functionCall("call_1", "read_file", { path: "a" })],
                interruption: { afterEvents: 4, how: "end" },
            },
        ],
        [
            "is called complete inside a call",
            { blocks: [functionCall("call_1", "read_file", '{"path": "a', true)] },
        ],
        ["is empty", { interruption: { afterEvents: 0, how: "end" } }],
    ] as const satisfies readonly (readonly [string, ResponsesReply])[]) {
        it(`reports a stream that ${name} as incomplete`, async () => {
            const error = await failureAfter([broken]);
            expect(error).to.include({ code: "incomplete-stream", retryable: true });
        });
    }

    it("reports a connection that breaks before the answer", async () => {
        const error = await failureAfter([{ isResetAtOnce: true }]);
        expect(error).to.include({ code: "network", retryable: true });
        expect(error.message).to.include("ECONNRESET");
    });

    it("reports a connection that breaks in the middle of the answer", async () => {
        const error = await failureAfter([
            { blocks: [text("So")], interruption: { afterEvents: 4, how: "reset" } },
        ]);
        expect(error).to.include({ code: "network", retryable: true });
    });

    it("reports a server that is not there", async () => {
        await start([]);
        const taken = net.createServer().listen(0, "127.0.0.1");
        await once(taken, "listening");
        const { port } = taken.address() as AddressInfo;
        taken.close();
        await once(taken, "close");
        const connection = await connectTo(`http://127.0.0.1:${port}/v1`);
        const error = await failureOf(collect(connection));
        expect(error).to.include({ code: "network", retryable: true });
        expect(error.message).to.include("ECONNREFUSED");
    });

    it("gives up on an answer that does not begin", async () => {
        const gate = new Promise<never>(() => undefined);
        const error = await failureAfter([{ gate }], { ...LIMITS, requestMs: 50 });
        expect(error).to.include({ code: "timeout", retryable: true });
        await server.allClosed();
    });

    it("gives up on a reply that falls silent, and closes the connection", async () => {
        const error = await failureAfter(
            [{ blocks: [text("So")], interruption: { afterEvents: 4, how: "stall" } }],
            { ...LIMITS, silenceMs: 50 }
        );
        expect(error).to.include({ code: "timeout", retryable: true });
        await server.allClosed();
    });

    it("is of no consequence for the next request", async () => {
        const connection = await start([failure(500, { message: "Oops" }), reply(text("Hi"))]);
        await failureOf(collect(connection));
        expect((await collect(connection)).text).to.equal("Hi");
        server.assertDone();
    });
});

describe("a request to OpenAI that is cancelled", () => {
    let server: ResponsesServer;
    const stalled: ResponsesReply = {
        blocks: [text("So far")],
        interruption: { afterEvents: 6, how: "stall" },
    };

    afterEach(async () => {
        await server.close();
    });

    async function streamOf(script: readonly ResponsesReply[], signal: AbortSignal) {
        server = await startResponsesServer({ script });
        return (await connectTo(server.url)).stream(requestWith(), { signal });
    }

    async function reasonOf(stream: AsyncIterable<ModelEvent>, onText: () => void) {
        try {
            for await (const event of stream) if (event.type === "text") onText();
        } catch (error) {
            return error;
        }
        throw new Error("It was not aborted");
    }

    it("rejects with the signal's reason in the middle, and leaves no connection", async () => {
        const controller = new AbortController();
        const stream = await streamOf([stalled], controller.signal);
        const reason = new Error("Enough");
        expect(await reasonOf(stream, () => controller.abort(reason))).to.equal(reason);
        await server.allClosed();
        expect(server.openConnections()).to.equal(0);
    });

    it("rejects before the answer begins, and leaves no connection", async () => {
        const controller = new AbortController();
        const reason = new Error("Enough");
        const gate = new Promise<never>(() => undefined);
        const stream = await streamOf(
            [
                {
                    get gate() {
                        controller.abort(reason);
                        return gate;
                    },
                },
            ],
            controller.signal
        );
        expect(await reasonOf(stream, () => undefined)).to.equal(reason);
        await server.allClosed();
    });

    it("sends nothing when it was cancelled already", async () => {
        const reason = new Error("Enough");
        const stream = await streamOf([], AbortSignal.abort(reason));
        expect(await reasonOf(stream, () => undefined)).to.equal(reason);
        expect(server.requests).to.have.length(0);
    });

    it("closes the connection when the reader stops reading", async () => {
        const stream = await streamOf([stalled], new AbortController().signal);
        for await (const event of stream) if (event.type === "text") break;
        await server.allClosed();
        expect(server.openConnections()).to.equal(0);
    });
});
