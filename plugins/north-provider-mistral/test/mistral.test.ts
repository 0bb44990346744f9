import { expect } from "chai";
import type { ModelEvent, ModelRequest } from "north-cli/plugin";
import { checkProvider, checkReply, sampleRequest } from "north-cli/plugin-testing";
import { connect } from "../src/connect.js";
import { toCallId } from "../src/message-mapping.js";
import { describeModel, mistralModels } from "../src/models.js";
import { mistral } from "../src/provider.js";
import {
    type Answer,
    chunk,
    KEY,
    type MistralServer,
    startMistralServer,
    usage,
} from "./mistral-server.js";

const readFile = {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const done: Answer = { chunks: [chunk({ content: "ok" }), chunk({ content: "" }, "stop", usage)] };

describe("the provider for Mistral", () => {
    let server: MistralServer | undefined;

    afterEach(async () => {
        await server?.close();
        server = undefined;
    });

    async function read(answer: Answer, request: Partial<ModelRequest> = {}, apiKey = KEY) {
        server = await startMistralServer([answer]);
        const connection = await connect(
            { apiKey, baseURL: server.url },
            { firstChunkMs: 2_000, silenceMs: 300 }
        );
        const events: ModelEvent[] = [];
        const { signal } = new AbortController();
        const asked = sampleRequest(mistral, request);
        for await (const event of connection.stream(asked, { signal })) events.push(event);
        checkReply(events);
        return events;
    }

    async function failureOf(answer: Answer, apiKey = KEY) {
        const error = await read(answer, {}, apiKey).catch((failure: unknown) => failure);
        expect(error).to.be.instanceOf(Error);
        return error as Error & { code: string; retryable: boolean; retryAfterMs?: number };
    }

    it("keeps to the contract of providers", async () => {
        server = await startMistralServer([done, done]);
        const requests = [
            sampleRequest(mistral, { tools: [readFile] }),
            sampleRequest(mistral, { thinking: true }),
        ];
        await checkProvider(mistral, {
            connection: { apiKey: KEY, baseURL: server.url },
            requests,
        });
        const [first, second] = server.bodies;
        expect(first).to.deep.include({ model: "mistral-medium-2604", reasoning_effort: "none" });
        expect(first?.prompt_cache_key).to.equal("abc123");
        expect(first?.tools).to.deep.equal([
            {
                type: "function",
                function: {
                    name: "read_file",
                    description: "Reads a file.",
                    parameters: readFile.inputSchema,
                },
            },
        ]);
        expect(second?.reasoning_effort).to.equal("high");
    });

    it("streams thoughts, text and usage; the cached part of a prompt is counted once", async () => {
        const thinking = [{ type: "text", text: "hm" }];
        const cached = { ...usage, prompt_tokens_details: { cached_tokens: 8 } };
        const events = await read({
            chunks: [
                chunk({
                    role: "assistant",
                    content: [{ type: "thinking", thinking, signature: "s" }],
                }),
                chunk({ content: "Good " }),
                chunk({ content: [{ type: "text", text: "day" }] }, "stop", cached),
            ],
        });
        expect(events).to.deep.equal([
            { type: "thinking", text: "hm" },
            { type: "thinking-end", opaque: { signature: "s" } },
            { type: "text", text: "Good " },
            { type: "text", text: "day" },
            { type: "usage", usage: { inputTokens: 2, cacheReadTokens: 8, outputTokens: 4 } },
            { type: "stop", reason: "end" },
        ]);
    });

    it("puts calls together: whole ones, pieces, and what is not JSON", async () => {
        const call = (id: string, index: number, text: string) => ({
            id,
            index,
            function: { name: "read_file", arguments: text },
        });
        const events = await read({
            chunks: [
                chunk({ tool_calls: [call("aaaaaaaaa", 0, '{"path": "a"}')] }),
                chunk({ tool_calls: [call("bbbbbbbbb", 1, '{"pa')] }),
                chunk({ tool_calls: [call("bbbbbbbbb", 1, 'th": "b"}')] }),
                chunk({ tool_calls: [call("ccccccccc", 2, "{oops")] }, "tool_calls", usage),
            ],
        });
        expect(events.filter(({ type }) => type === "tool-call")).to.deep.equal([
            { type: "tool-call", callId: "aaaaaaaaa", name: "read_file", input: { path: "a" } },
            { type: "tool-call", callId: "bbbbbbbbb", name: "read_file", input: { path: "b" } },
            {
                type: "tool-call",
                callId: "ccccccccc",
                name: "read_file",
                input: {},
                malformedInput: "{oops",
            },
        ]);
        expect(events.at(-1)).to.deep.equal({ type: "stop", reason: "tool-calls" });
    });

    it("sends conversations of other vendors in the order and with the ids it takes", async () => {
        const callId = "toolu_01VpEm654HvfMoRcrE3Hgdc6";
        const name = "read_file";
        await read(done, {
            messages: [
                { role: "user", content: [{ type: "text", text: "Read a." }] },
                {
                    role: "assistant",
                    content: [
                        { type: "thinking", text: "x", provider: "anthropic", model: "claude" },
                        { type: "tool-call", callId, name, input: { path: "a" } },
                    ],
                },
                {
                    role: "tool",
                    content: [{ type: "tool-result", callId, name, content: "{}", isError: true }],
                },
                { role: "user", content: [{ type: "text", text: "Go on." }] },
            ],
        });
        const messages = server?.bodies[0]?.messages ?? [];
        expect(messages.map(({ role }) => role)).to.deep.equal([
            ...["system", "user", "assistant", "tool", "assistant", "user"],
        ]);
        expect(messages[3]?.tool_call_id).to.equal(toCallId(callId));
        expect(JSON.stringify(messages)).not.to.contain("thinking");
    });

    it("says what went wrong by the codes of the contract", async () => {
        const refused = (status: number, message: string, headers = {}): Answer => ({
            status,
            body: { object: "error", message, type: "x", code: "1" },
            headers,
        });
        const cases: readonly [Answer, string, boolean][] = [
            [refused(429, "Rate limit exceeded", { "retry-after": "7" }), "rate-limited", true],
            [refused(400, "Prompt is too large for the model"), "context-overflow", false],
            [refused(400, "Invalid model: x"), "invalid-request", false],
            [refused(503, "later"), "overloaded", true],
            [refused(500, "oops"), "server-error", true],
            [{ chunks: [chunk({ content: "half" })], isCut: true }, "incomplete-stream", true],
            [{ chunks: [{ nothing: 1 }] }, "incomplete-stream", true],
            [{ chunks: [chunk({ content: "half" })], hangs: true }, "timeout", true],
        ];
        for (const [answer, code, retryable] of cases) {
            const failure = await failureOf(answer);
            expect(failure, JSON.stringify(answer)).to.deep.include({ code, retryable });
            expect(failure.retryAfterMs).to.equal(code === "rate-limited" ? 7_000 : undefined);
            await server?.close();
        }
        const denied = await failureOf(done, "another-key");
        expect(denied.code).to.equal("authentication");
        expect(denied.message).to.contain("Unauthorized").and.not.contain("another-key");
        expect(await connect({}).catch(({ code }) => code)).to.equal("no-api-key");
    });

    it("gives the connection up when it is cancelled in the middle of a reply", async () => {
        server = await startMistralServer([{ chunks: [chunk({ content: "half" })], hangs: true }]);
        const connection = await mistral.connect({ apiKey: KEY, baseURL: `${server.url}/v1` });
        const controller = new AbortController();
        const reason = new Error("enough");
        const texts: string[] = [];
        const reading = (async () => {
            const { signal } = controller;
            for await (const event of connection.stream(sampleRequest(mistral), { signal })) {
                if (event.type === "text") texts.push(event.text);
                controller.abort(reason);
            }
        })();
        expect(await reading.catch((error: unknown) => error)).to.equal(reason);
        expect(texts).to.deep.equal(["half"]);
        while (server.aborted === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    });

    it("knows the family, and prices only what the vendor's list says", () => {
        const retired = mistralModels.find(({ id }) => id === "mistral-medium-2508");
        expect(retired?.replacedBy).to.equal("mistral-medium-2604");
        expect(describeModel("devstral-2612")?.prices).to.equal(undefined);
        expect(describeModel("gpt-5")).to.equal(undefined);
    });
});
