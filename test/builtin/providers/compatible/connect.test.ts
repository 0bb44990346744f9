import { expect } from "chai";
import {
    calls,
    type ChatServer,
    type ChatServerOptions,
    reply,
    says,
    startChatServer,
    thinks,
} from "../../../helpers/vendors/chat-completions-server.js";
import { connect } from "../../../../src/builtin/providers/compatible/connect.js";
import { discover } from "../../../../src/builtin/providers/compatible/discover.js";
import { local } from "../../../../src/builtin/providers/compatible/local.js";
import type { AssistantMessage, ModelConnection } from "../../../../src/plugin/index.js";
import { answersTo, failureOf, userSays } from "../support.js";
import { collect, connectTo, definition, requestWith } from "./support.js";

describe("Compatible connection", () => {
    let server: ChatServer;
    let connection: ModelConnection;

    async function start(options: ChatServerOptions): Promise<void> {
        server = await startChatServer(options);
        connection = await connectTo(server.url);
    }

    afterEach(async () => {
        await server.close();
    });

    it("No key is sent when none is needed, whatever the environment holds", async () => {
        await start({ script: [reply(says("Hi"))] });
        const before = process.env.OPENAI_API_KEY;
        process.env.OPENAI_API_KEY = "somebody's";
        try {
            await collect(await connectTo(server.url));
        } finally {
            if (before === undefined) delete process.env.OPENAI_API_KEY;
            else process.env.OPENAI_API_KEY = before;
        }
        expect(server.requests[0]?.headers).to.not.have.property("authorization");
        server.assertDone();
    });

    it("A configured key is sent", async () => {
        await start({ script: [reply(says("Hi"))], apiKey: "test-key" });
        const settings = { apiKey: "test-key", baseURL: server.url };
        await collect(await connect(definition, settings));
        server.assertDone();
    });

    it("A key goes in the configured header alone, and a base URL's query with each request", async () => {
        await start({ script: [] });
        const asked: { readonly url: string; readonly headers: Headers }[] = [];
        const seen: typeof fetch = async (input, init) => {
            asked.push({ url: String(input), headers: new Headers(init?.headers) });
            return new Response('{"error":{"message":"no"}}', { status: 400 });
        };
        const deployment = { ...definition, keyHeader: "api-key" };
        const settings = {
            ...{ apiKey: "test-key", fetch: seen },
            baseURL: "https://name.example/openai/deployments/gpt/?api-version=2024-10-21",
        };
        const connected = await connect(deployment, settings);
        await failureOf(collect(connected));
        await failureOf(discover(deployment, settings));
        const paths = ["chat/completions", "models"].map(
            (path) => `https://name.example/openai/deployments/gpt/${path}?api-version=2024-10-21`
        );
        expect(asked.map(({ url }) => url)).to.deep.equal(paths);
        for (const { headers } of asked) {
            expect(headers.get("api-key")).to.equal("test-key");
            expect(headers.has("authorization")).to.equal(false);
        }
    });

    it("A tool call is assembled from its pieces, and its result is sent back", async () => {
        await start({
            script: [
                reply(says("Let me look."), calls(0, "call_1", "read_file", { path: "a b.ts" })),
                reply(says("Done.")),
            ],
        });
        const question = userSays("Read it");
        const first = await collect(connection, requestWith({ messages: [question] }));
        expect(first.stop).to.equal("tool-calls");
        expect(first.message.content.at(-1)).to.deep.equal({
            type: "tool-call",
            callId: "call_1",
            name: "read_file",
            input: { path: "a b.ts" },
        });
        const messages = [question, first.message, answersTo(first.message, '{"ok":false}')];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.messages.slice(2)).to.deep.equal([
            {
                role: "assistant",
                content: "Let me look.",
                tool_calls: [
                    {
                        type: "function",
                        id: "call_1",
                        function: { name: "read_file", arguments: '{"path":"a b.ts"}' },
                    },
                ],
            },
            { role: "tool", tool_call_id: "call_1", content: '{"ok":false}' },
        ]);
        server.assertDone();
    });

    it("A call is announced before its arguments arrive", async () => {
        await start({ script: [reply(calls(0, "call_1", "read_file", { path: "a" }))] });
        const { events } = await collect(connection);
        const types = events.map(({ type }) => type).filter((type) => type !== "usage");
        const pieces = Array<string>(3).fill("tool-call-delta");
        expect(types).to.deep.equal(["tool-call-start", ...pieces, "tool-call", "stop"]);
    });

    for (const field of ["reasoning_content", "reasoning"]) {
        it(`Thinking before a call is sent back in the field ${field} that it came in`, async () => {
            await start({
                script: [
                    reply(thinks(field, "Which file? 🤔"), calls(0, "call_1", "read_file", {})),
                    reply(says("Done.")),
                ],
                reasoningField: field,
            });
            const first = await collect(connection);
            expect(first.message.content[0]).to.include({ text: "Which file? 🤔" });
            const messages = structuredClone([
                userSays("Hello"),
                first.message,
                answersTo(first.message),
            ]);
            await collect(await connectTo(server.url), requestWith({ messages }));
            expect(server.requests[1]?.body.messages[2]).to.include({ [field]: "Which file? 🤔" });
            server.assertDone();
        });
    }

    it("A server that demands reasoning gets an empty field once it has complained", async () => {
        await start({
            script: () => reply(says("Done.")),
            reasoningField: "reasoning_content",
            insistsOnReasoning: true,
        });
        const call = {
            type: "tool-call",
            callId: "toolu_1",
            name: "list_root",
            input: {},
        } as const;
        const foreign: AssistantMessage = { role: "assistant", content: [call] };
        const messages = [userSays("Hello"), foreign, answersTo(foreign)];
        for (let turn = 0; turn < 2; turn += 1) {
            await collect(connection, requestWith({ messages }));
            expect(server.requests[turn]?.body.messages[2]).to.include({ reasoning_content: "" });
        }
        expect(server.problems).to.have.length(1);
    });

    const thinker = { ...requestWith().model, thinking: "adaptive", efforts: ["high"] } as const;
    const effortOf = (index: number) => server.requests[index]?.body.reasoning_effort;

    it("The effort is sent when the settings say that the model takes one", async () => {
        await start({ script: () => reply(says("Hi")), efforts: ["none", "medium", "high"] });
        await collect(connection, requestWith({ model: thinker, thinking: true, effort: "high" }));
        await collect(connection, requestWith({ model: thinker, thinking: true }));
        await collect(connection, requestWith({ model: thinker, thinking: false }));
        const silent = { ...thinker, efforts: undefined };
        await collect(connection, requestWith({ model: silent, thinking: true }));
        expect([0, 1, 2, 3].map(effortOf)).to.deep.equal(["high", "medium", "none", undefined]);
        server.assertDone();
    });

    it("The effort is dropped after the server has refused it", async () => {
        await start({ script: () => reply(says("Hi")) });
        for (const turn of [0, 1]) {
            await collect(connection, requestWith({ model: thinker, thinking: true }));
            expect(effortOf(turn)).to.equal(undefined);
        }
        expect(server.problems).to.have.length(1);
    });

    it("The output limit is renamed after the server has asked for another name", async () => {
        await start({ script: () => reply(says("Hi")), limitField: "max_completion_tokens" });
        for (const turn of [0, 1]) {
            await collect(connection);
            expect(server.requests[turn]?.body.max_completion_tokens).to.equal(8_000);
        }
        expect(server.problems).to.have.length(1);
    });

    it("Usage counts are not requested from a server that does not know them", async () => {
        await start({ script: () => reply(says("Hi")), neverCounts: true });
        for (let turn = 0; turn < 2; turn += 1) {
            expect((await collect(connection)).text).to.equal("Hi");
        }
        expect(server.problems).to.have.length(1);
    });

    it("Thinking before an answer, and thinking of other models, is not sent back", async () => {
        await start({
            script: [reply(thinks("reasoning", "Hm"), says("Yes.")), reply(says("No."))],
        });
        const first = await collect(connection);
        expect(first.message.content).to.have.length(2);
        const foreign = {
            type: "thinking",
            text: "Mine",
            provider: "openai",
            model: "llama3:8b",
            opaque: { field: "reasoning" },
        } as const;
        const messages = [
            userSays("Hello"),
            { ...first.message, content: [foreign, ...first.message.content] },
            userSays("Sure?"),
        ];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.messages[2]).to.deep.equal({
            role: "assistant",
            content: "Yes.",
        });
        server.assertDone();
    });

    it("Cache reads are not counted twice", async () => {
        await start({
            script: [
                {
                    deltas: says("Hi"),
                    usage: {
                        prompt_tokens: 1_033,
                        completion_tokens: 70,
                        prompt_tokens_details: { cached_tokens: 1_000 },
                    },
                },
                {
                    deltas: says("Hi"),
                    usage: {
                        prompt_tokens: 1_033,
                        completion_tokens: 70,
                        prompt_cache_hit_tokens: 1_000,
                        prompt_cache_miss_tokens: 33,
                    },
                },
            ],
        });
        for (let turn = 0; turn < 2; turn += 1) {
            expect((await collect(connection)).usage).to.include({
                inputTokens: 33,
                cacheReadTokens: 1_000,
                outputTokens: 70,
            });
        }
    });

    it("Cached tokens that a gateway counts outside its prompt are not counted as output", async () => {
        const usage = {
            prompt_tokens: 1_200,
            completion_tokens: 48,
            total_tokens: 8_288,
            prompt_tokens_details: { cached_tokens: 7_040 },
        };
        await start({ script: [{ deltas: says("Hi"), usage }] });
        expect((await collect(connection)).usage).to.include({
            inputTokens: 1_200,
            cacheReadTokens: 7_040,
            outputTokens: 48,
        });
    });

    it("Thinking tokens that are only in the server's total are counted", async () => {
        const usage = { prompt_tokens: 758, completion_tokens: 102, total_tokens: 1_725 };
        await start({ script: [{ deltas: says("Hi"), usage }] });
        expect((await collect(connection)).usage).to.include({
            inputTokens: 758,
            outputTokens: 967,
        });
    });

    it("A server may send no usage, or usage with every chunk", async () => {
        await start({
            script: [
                { deltas: says("Hi"), usage: null },
                { deltas: says("Hi"), countsAlong: true },
            ],
        });
        expect((await collect(connection)).usage).to.deep.equal({});
        expect((await collect(connection)).usage).to.include({ inputTokens: 10, outputTokens: 5 });
    });

    for (const [vendor, reason] of [
        ["stop", "end"],
        ["length", "max-output"],
        ["content_filter", "refused"],
        ["eos", "end"],
    ] as const) {
        it(`The finish reason ${vendor} is reported as ${reason}`, async () => {
            await start({ script: [{ deltas: says("So"), finishReason: vendor }] });
            expect((await collect(connection)).stop).to.equal(reason);
        });
    }

    it("Models with vision get images beside their text", async () => {
        await start({ script: [reply(says("A cat."))] });
        const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
        const content = [{ type: "text", text: "What is it?" } as const, image];
        const model = { ...requestWith().model, images: true };
        await collect(connection, requestWith({ model, messages: [{ role: "user", content }] }));
        expect(server.requests[0]?.body.messages[1]?.content).to.deep.equal([
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ]);
        server.assertDone();
    });
});

describe("Local server", () => {
    it("The local server needs neither key nor settings and serves any model by name", () => {
        expect(local).to.not.have.property("keyVariable");
        expect(local.describesAnyModel).to.equal(true);
        expect(local.describe?.("qwen3:32b")).to.include({ id: "qwen3:32b" });
        expect(local.describe?.("")).to.equal(undefined);
    });

    it("The local server's variable overrides its address", async () => {
        const server = await startChatServer({ script: [reply(says("Hi"))] });
        try {
            const connection = await local.connect({ baseURL: server.url });
            expect((await collect(connection)).text).to.equal("Hi");
            expect(local.baseURLVariable).to.equal("LOCAL_BASE_URL");
        } finally {
            await server.close();
        }
    });
});
