import { expect } from "chai";
import {
    calls,
    type ChatReply,
    type ChatServer,
    failure,
    says,
    startChatServer,
} from "../../../helpers/vendors/chat-completions-server.js";
import type { ModelEvent } from "../../../../src/plugin/index.js";
import { connect } from "../../../../src/builtin/providers/compatible/connect.js";
import { failureOf } from "../support.js";
import { collect, connectTo, definition, LIMITS, requestWith } from "./support.js";

describe("Compatible failures", () => {
    let server: ChatServer;

    async function start(script: readonly ChatReply[], limits = LIMITS) {
        server = await startChatServer({ script });
        return connectTo(server.url, limits);
    }

    async function failureAfter(script: readonly ChatReply[], limits = LIMITS) {
        return failureOf(collect(await start(script, limits)));
    }

    afterEach(async () => {
        await server.close();
    });

    it("Events without data are ignored, wherever the stream is cut into chunks", async () => {
        server = await startChatServer({ script: [] });
        const chunk = (choice: object) => `data: ${JSON.stringify({ choices: [choice] })}`;
        const hello = chunk({ index: 0, delta: { content: "Grüße" } });
        const stop = chunk({ index: 0, delta: {}, finish_reason: "stop" });
        const blanks = ["data:", "data: ", "event: ping", "event: ping\ndata:", "retry: 9", ": hi"];
        const lines = [...blanks, hello, ...blanks, stop, ...blanks, "data: [DONE]", ""];
        for (const end of ["\n", "\r\n", "\r"]) {
            const bytes = Buffer.from(lines.join("\n\n").replaceAll("\n", end));
            for (const size of [1, 7, 100, bytes.length]) {
                const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
                    bytes.subarray(index * size, (index + 1) * size)
                );
                const headers = { "content-type": "text/event-stream" };
                const body = new ReadableStream<Uint8Array>({
                    pull: (stream) => {
                        const piece = pieces.shift();
                        return piece ? stream.enqueue(piece) : stream.close();
                    },
                });
                const fetch = async () => new Response(body, { headers });
                const reply = await collect(await connect(definition, { fetch }, LIMITS));
                expect(reply).to.include({ text: "Grüße", stop: "end" });
            }
        }
    });

    for (const [status, error, expected, retryable] of [
        [400, { message: "Bad" }, "invalid-request", false],
        // OpenAI, llama.cpp, vLLM, and Ollama, which sends a text in its own API.
        [400, { message: "Long", code: "context_length_exceeded" }, "context-overflow", false],
        [400, { message: "Long", type: "exceed_context_size_error" }, "context-overflow", false],
        [
            400,
            { message: "This model's maximum context length is 8192 tokens.", code: 400 },
            "context-overflow",
            false,
        ],
        [400, "input length exceeds the context length", "context-overflow", false],
        [
            400,
            {
                message:
                    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's " +
                    "maximum context length is 8192 tokens and your request has 6000 input tokens",
            },
            "context-overflow",
            false,
        ],
        [401, { message: "No auth credentials found", code: 401 }, "authentication", false],
        [402, { message: "Insufficient credits", code: 402 }, "invalid-request", false],
        [404, { message: 'model "llama9" not found' }, "invalid-request", false],
        [429, { message: "Slow" }, "rate-limited", true],
        [500, { message: "Oops" }, "server-error", true],
        [503, { message: "Loading model", type: "unavailable_error" }, "overloaded", true],
    ] as const) {
        it(`Status ${status} with ${JSON.stringify(error)} is reported as ${expected}`, async () => {
            const found = await failureAfter([failure(status, error)]);
            expect(found).to.include({ code: expected, retryable });
            expect(found.message).to.include(typeof error === "string" ? error : error.message);
            expect(server.requests).to.have.length(1);
        });
    }

    for (const [status, fields, expected] of [
        // vLLM before 0.10, and servers made with FastAPI.
        [
            400,
            {
                object: "error",
                message: "This model's maximum context length is 4096 tokens.",
                type: "BadRequestError",
                param: null,
                code: 400,
            },
            "context-overflow",
        ],
        [422, { detail: [{ loc: ["body", "tools"], msg: "Not here" }] }, "invalid-request"],
        [404, { detail: "Not Found" }, "invalid-request"],
    ] as const) {
        it(`A body without \`error\` is read: ${JSON.stringify(fields)}`, async () => {
            const page = { status, type: "application/json", body: JSON.stringify(fields) };
            const found = await failureAfter([{ page }]);
            expect(found.code).to.equal(expected);
            const said = "message" in fields ? fields.message : fields.detail;
            expect(found.message).to.include(typeof said === "string" ? said : "Not here");
        });
    }

    it("A field that the server refuses in a body without `error` is dropped", async () => {
        const detail = [{ loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" }];
        const page = { status: 422, type: "application/json", body: JSON.stringify({ detail }) };
        const connection = await start([{ page }, { deltas: says("Hi") }]);
        expect((await collect(connection)).text).to.equal("Hi");
        expect(server.requests[1]?.body.stream_options).to.equal(undefined);
    });

    for (const [said, advice] of [
        ["library/gemma:2b does not support tools", "call tools"],
        ["No endpoints found that support tool use", "call tools"],
    ] as const) {
        it(`A next step is given for: ${said}`, async () => {
            const { nextSteps } = await failureAfter([failure(400, { message: said })]);
            expect(nextSteps.join(" ")).to.include(advice);
        });
    }

    for (const raw of [
        "deepseek/deepseek-r1:free is temporarily rate-limited upstream.",
        '{"error":{"message":"deepseek/deepseek-r1:free is temporarily rate-limited upstream."}}',
    ]) {
        it(`OpenRouter's error is reported in the words of the vendor behind it: ${raw}`, async () => {
            const metadata = { raw, provider_name: "Chutes" };
            const error = { message: "Provider returned error", code: 429, metadata };
            const found = await failureAfter([failure(429, error)]);
            expect(found).to.include({ code: "rate-limited", retryable: true });
            expect(found.message).to.match(
                /: deepseek\/deepseek-r1:free is temporarily.*upstream\.$/
            );
        });
    }

    it("A failed payment points to billing", async () => {
        const found = await failureAfter([failure(402, { message: "Insufficient Balance" })]);
        expect(found.nextSteps.join(" ")).to.include("billing");
    });

    for (const [status, header, retryable] of [
        [500, "false", false],
        [400, "true", true],
    ] as const) {
        it(`The server's ${header} after ${status} determines the retry`, async () => {
            const headers = { "x-should-retry": header };
            const found = await failureAfter([failure(status, { message: "No" }, headers)]);
            expect(found.retryable).to.equal(retryable);
        });
    }

    for (const [streamError, expected, retryable] of [
        [{ message: "Provider disconnected", code: 502 }, "server-error", true],
        [{ message: "Slow", code: 429 }, "rate-limited", true],
        [{ message: "Slow", code: "rate_limit_exceeded" }, "rate-limited", true],
        [{ message: "Oops", code: "server_error" }, "server-error", true],
        ["unexpected EOF", "server-error", true],
    ] as const) {
        it(`${JSON.stringify(streamError)} inside the stream is reported as ${expected}`, async () => {
            const error = await failureAfter([{ deltas: says("So f"), streamError }]);
            expect(error).to.include({ code: expected, retryable });
        });
    }

    it("A reply that ended in an error is reported", async () => {
        const error = await failureAfter([{ deltas: says("So f"), finishReason: "error" }]);
        expect(error).to.include({ code: "server-error", retryable: true });
    });

    for (const [name, broken] of [
        ["ends before the reply does", { deltas: says("So"), finishReason: null, omitsDone: true }],
        ["is called done without a reason", { deltas: says("So"), finishReason: null }],
        [
            "ends inside a call",
            {
                deltas: calls(0, "call_1", "read_file", { path: "a" }),
                interruption: { afterEvents: 3, how: "end" },
            },
        ],
        ["is empty", { interruption: { afterEvents: 0, how: "end" } }],
    ] as const satisfies readonly (readonly [string, ChatReply])[]) {
        it(`A stream that ${name} is incomplete and yields no call`, async () => {
            const connection = await start([broken]);
            const events: ModelEvent[] = [];
            const { signal } = new AbortController();
            const drain = async () => {
                for await (const event of connection.stream(requestWith(), { signal })) {
                    events.push(event);
                }
            };
            const error = await failureOf(drain());
            expect(error).to.include({ code: "incomplete-stream", retryable: true });
            expect(events.filter(({ type }) => type === "tool-call")).to.deep.equal([]);
        });
    }

    it("A server that sends its reply as one JSON object is said not to stream", async () => {
        const message = { role: "assistant", content: "Hi" };
        const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }] });
        const page = { status: 200, type: "application/json", body };
        const error = await failureAfter([{ page }]);
        expect(error.code).to.equal("invalid-request");
        expect(error.retryable).to.not.equal(true);
        expect(error.message).to.match(/^The server at 127\.0\.0\.1:\d+ does not stream/);
    });

    it("An error in a JSON object with status 200 is reported in the server's words", async () => {
        const body = JSON.stringify({ error: { message: "No provider is up", code: 503 } });
        const page = { status: 200, type: "application/json", body };
        const error = await failureAfter([{ page }]);
        expect(error).to.include({ code: "overloaded", retryable: true });
        expect(error.message).to.include("No provider is up");
    });

    it("A stream that a proxy calls JSON is read all the same", async () => {
        const chunk = { choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] };
        const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
        const connection = await start([{ page: { status: 200, type: "application/json", body } }]);
        expect((await collect(connection)).text).to.equal("Hi");
    });

    it("A web page of the wrong address names what to check", async () => {
        const page = {
            status: 200,
            type: "text/html; charset=utf-8",
            body: "<html>Sign in</html>",
        };
        const error = await failureAfter([{ page }]);
        expect(error.code).to.equal("network");
        expect(error.retryable).to.not.equal(true);
        expect(error.message).to.match(
            /^The server at 127\.0\.0\.1:\d+ answered with a web page instead of a model's reply\.$/
        );
        expect(error.nextSteps).to.deep.equal(["Check `baseURL` in config.json and your proxy."]);
    });

    it("A redirect says where it leads", async () => {
        await start([]);
        const location = "https://house.example/v1/chat/completions?secret=1";
        const elsewhere = async () => new Response(null, { status: 301, headers: { location } });
        const settings = { baseURL: "http://house.example/v1", fetch: elsewhere };
        const error = await failureOf(collect(await connect(definition, settings)));
        expect(error.code).to.equal("network");
        expect(error.retryable).to.not.equal(true);
        expect(error.message).to.equal(
            "The server at house.example redirects to https://house.example/v1/chat/completions; North follows no redirects."
        );
        expect(error.nextSteps).to.deep.equal(["Check `baseURL` in config.json and your proxy."]);
    });

    it("An error that is plain text is told", async () => {
        const body = "upstream connect error\n";
        const error = await failureAfter([{ page: { status: 400, type: "text/plain", body } }]);
        expect(error.message).to.equal(
            "The house server refused the request: upstream connect error."
        );
    });

    it("A page in place of an error is not told", async () => {
        const page = { status: 502, type: "text/html", body: "<html>Bad gateway</html>" };
        const error = await failureAfter([{ page }]);
        expect(error.message).to.equal("The house server had an internal error.");
    });

    it("An error that quotes the request is shortened", async () => {
        // As FastAPI answers what it does not accept.
        const detail = [{ type: "missing", msg: "Field required", input: "x".repeat(50_000) }];
        const error = await failureAfter([
            { page: { status: 422, type: "application/json", body: JSON.stringify({ detail }) } },
        ]);
        expect(error.message).to.include("Field required");
        expect(error.message.length).to.be.below(1_100);
    });

    for (const [format, text] of [
        ["Qwen", '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'],
        ["GLM", "I will look.\n<tool_call>read_file\n<arg_key>path</arg_key></tool_call>"],
        ["Kimi", "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0"],
        ["DeepSeek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file"],
        ["Mistral", '[TOOL_CALLS][{"name": "read_file", "arguments": {}}]'],
    ] as const) {
        it(`A call in ${format}'s own format is reported as one that the server does not parse`, async () => {
            const error = await failureAfter([{ deltas: says(text) }]);
            expect(error.code).to.equal("invalid-request");
            expect(error.retryable).to.not.equal(true);
            expect(error.message).to.equal(
                "The house server does not parse the tool calls of llama3:8b: one arrived as text."
            );
            expect(error.nextSteps[0]).to.include("--jinja");
        });
    }

    for (const [name, text] of [
        ["quotes it", 'Qwen writes:\n```\n<tool_call>\n{"name": "read_file"}\n</tool_call>\n```'],
        ["mentions it", "The tag <tool_call> begins a call of read_file."],
        ["names another tool", '<tool_call>\n{"name": "other"}\n</tool_call>'],
    ] as const) {
        it(`An answer that ${name} is an answer`, async () => {
            const connection = await start([{ deltas: says(text) }]);
            expect((await collect(connection)).text).to.equal(text);
        });
    }

    it("A silence longer than the configured limit is a failure", async () => {
        const interruption = { afterText: "So", how: "stall" } as const;
        server = await startChatServer({ script: [{ deltas: [{ content: "So" }], interruption }] });
        const impatient = { ...definition, silenceMs: 50 };
        const error = await failureOf(collect(await connect(impatient, { baseURL: server.url })));
        expect(error).to.include({ code: "timeout", retryable: true });
    });
});
