import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { expect } from "chai";
import {
    failure,
    type MessagesServer,
    type Reply,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../../../helpers/messages-server.js";
import { connect } from "../../../../src/builtin/providers/anthropic/connect.js";
import type { ModelEvent } from "../../../../src/plugin/index.js";
import { collect, failureOf, requestWith } from "../support.js";

const LIMITS = { requestMs: 2_000, silenceMs: 2_000 };

describe("failures of Anthropic", () => {
    let server: MessagesServer;

    async function connectTo(script: readonly Reply[], limits = LIMITS) {
        server = await startMessagesServer({ script });
        return connect({ apiKey: "test-key", baseURL: server.url }, limits);
    }

    async function failureAfter(script: readonly Reply[], limits = LIMITS) {
        return failureOf(collect(await connectTo(script, limits), requestWith()));
    }

    afterEach(async () => {
        await server.close();
    });

    for (const [status, type, code, retryable] of [
        [400, "invalid_request_error", "invalid-request", false],
        [401, "authentication_error", "authentication", false],
        [403, "permission_error", "authentication", false],
        [404, "not_found_error", "invalid-request", false],
        [408, "timeout_error", "timeout", true],
        [413, "request_too_large", "context-overflow", false],
        [429, "rate_limit_error", "rate-limited", true],
        [500, "api_error", "server-error", true],
        [503, "api_error", "overloaded", true],
        [529, "overloaded_error", "overloaded", true],
    ] as const) {
        it(`reports ${status} as ${code}`, async () => {
            const error = await failureAfter([failure(status, type, "The vendor's words")]);
            expect(error).to.include({ code, retryable });
            expect(error.message).to.include("The vendor's words");
            expect(server.requests).to.have.length(1);
        });
    }

    it("tells what to do about a key that is not accepted", async () => {
        const error = await failureAfter([failure(401, "authentication_error", "invalid")]);
        expect(error.nextSteps.join(" ")).to.match(/ANTHROPIC_API_KEY.*north login anthropic/);
        expect(error.message).to.not.include("test-key");
    });

    it("tells that another model can be chosen where one is not served", async () => {
        const error = await failureAfter([failure(404, "not_found_error", "model: claude-x")]);
        expect(error.message).to.include("claude-x");
        expect(error.nextSteps.join(" ")).to.include("/model");
    });

    it("recognises a prompt that does not fit", async () => {
        const said = "prompt is too long: 208310 tokens > 200000 maximum";
        const error = await failureAfter([failure(400, "invalid_request_error", said)]);
        expect(error).to.include({ code: "context-overflow", retryable: false });
    });

    for (const [name, headers, expected] of [
        ["seconds", { "retry-after": "7" }, 7_000],
        ["milliseconds", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ] as const) {
        it(`reads how long to wait from ${name}`, async () => {
            const error = await failureAfter([failure(429, "rate_limit_error", "Slow", headers)]);
            expect(error.retryAfterMs).to.equal(expected);
        });
    }

    it("reads how long to wait from a date", async () => {
        const date = new Date(Date.now() + 3_600_000).toUTCString();
        const headers = { "retry-after": date };
        const error = await failureAfter([failure(429, "rate_limit_error", "Slow", headers)]);
        expect(error.retryAfterMs).to.be.within(3_500_000, 3_600_000);
    });

    it("does not call retryable what the vendor says is not", async () => {
        const headers = { "x-should-retry": "false" };
        const error = await failureAfter([failure(429, "rate_limit_error", "Spent", headers)]);
        expect(error).to.include({ code: "rate-limited", retryable: false });
    });

    it("reports an error inside the stream", async () => {
        const streamError = { type: "overloaded_error", message: "Overloaded" };
        const error = await failureAfter([{ blocks: [text("So f")], streamError }]);
        expect(error).to.include({ code: "overloaded", retryable: true });
    });

    it("yields what came before the stream broke", async () => {
        const connection = await connectTo([
            { blocks: [text("So far")], interruption: { afterEvents: 5, how: "end" } },
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
        ["ends before the message does", { blocks: [text("So")], stopReason: null }],
        [
            "ends inside a tool call",
            {
                blocks: [toolUse("toolu_1", "read_file", { path: "a" })],
                interruption: { afterEvents: 5, how: "end" },
            },
        ],
        ["is empty", { interruption: { afterEvents: 0, how: "end" } }],
    ] as const satisfies readonly (readonly [string, Reply])[]) {
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
        await connectTo([]);
        const taken = net.createServer().listen(0, "127.0.0.1");
        await once(taken, "listening");
        const { port } = taken.address() as AddressInfo;
        taken.close();
        await once(taken, "close");
        const baseURL = `http://127.0.0.1:${port}`;
        const connection = await connect({ apiKey: "test-key", baseURL }, LIMITS);
        const error = await failureOf(collect(connection, requestWith()));
        expect(error).to.include({ code: "network", retryable: true });
        expect(error.message).to.include("ECONNREFUSED");
    });

    it("reports a server that does not speak TLS", async () => {
        await connectTo([]);
        const baseURL = server.url.replace("http:", "https:");
        const connection = await connect({ apiKey: "test-key", baseURL }, LIMITS);
        const error = await failureOf(collect(connection, requestWith()));
        expect(error).to.include({ code: "network", retryable: true });
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

    it("does not count the time in which the reader pauses", async () => {
        const connection = await connectTo([reply(text("a"), text("b"), text("c"))], {
            ...LIMITS,
            silenceMs: 60,
        });
        const { signal } = new AbortController();
        let said = "";
        for await (const event of connection.stream(requestWith(), { signal })) {
            if (event.type !== "text") continue;
            said += event.text;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(said).to.equal("abc");
    });
});

describe("a request to Anthropic that is cancelled", () => {
    let server: MessagesServer;
    const stalled: Reply = {
        blocks: [text("So far")],
        interruption: { afterEvents: 4, how: "stall" },
    };

    afterEach(async () => {
        await server.close();
    });

    async function streamOf(script: readonly Reply[], signal: AbortSignal) {
        server = await startMessagesServer({ script });
        const connection = await connect({ apiKey: "test-key", baseURL: server.url });
        return connection.stream(requestWith(), { signal });
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
