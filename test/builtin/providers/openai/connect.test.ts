import { expect } from "chai";
import {
    functionCall,
    reasoning,
    refusal,
    reply,
    type ResponsesServer,
    type ResponsesServerOptions,
    startResponsesServer,
    text,
} from "../../../helpers/vendors/responses-server.js";
import type { ModelConnection } from "../../../../src/plugin/index.js";
import { answersTo, userSays } from "../support.js";
import { collect, connectTo, modelNamed, requestWith } from "./support.js";

describe("OpenAI connection", () => {
    let server: ResponsesServer;
    let connection: ModelConnection;

    async function start(options: ResponsesServerOptions): Promise<void> {
        server = await startResponsesServer(options);
        connection = await connectTo(server.url);
    }

    afterEach(async () => {
        await server.close();
    });

    it("A request carries the key and the conversation's cache key, and asks for no storage", async () => {
        await start({ script: [reply(text("Hi"))], apiKey: "test-key", basePath: "/a/v1" });
        await collect(connection, requestWith({ conversationId: "c0ffee" }));
        const { body, headers } = server.requests[0]!;
        expect(headers.authorization).to.equal("Bearer test-key");
        expect(body).to.include({ store: false, prompt_cache_key: "c0ffee" });
        expect(body.include).to.deep.equal(["reasoning.encrypted_content"]);
        server.assertDone();
    });

    it("Key, organization and server are not taken from the environment", async () => {
        await start({ script: [reply(text("Hi"))], apiKey: "test-key" });
        const planted = {
            OPENAI_API_KEY: "other-key",
            OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
            OPENAI_ORG_ID: "org-other",
        };
        const before = Object.keys(planted).map((name) => [name, process.env[name]] as const);
        Object.assign(process.env, planted);
        try {
            await collect(await connectTo(server.url));
        } finally {
            for (const [name, value] of before) {
                if (value === undefined) delete process.env[name];
                else process.env[name] = value;
            }
        }
        expect(server.requests[0]?.headers).to.not.have.property("openai-organization");
        server.assertDone();
    });

    it("A tool call is assembled from its pieces, and its result is sent back", async () => {
        await start({
            script: [
                reply(
                    text("Let me look."),
                    functionCall("call_1", "read_file", { path: "a b.ts" })
                ),
                reply(text("Done.")),
            ],
        });
        const question = userSays("Read it");
        const first = await collect(connection, requestWith({ messages: [question] }));
        expect(first.stop).to.equal("tool-calls");
        expect(first.events).to.deep.include({
            type: "tool-call-start",
            callId: "call_1",
            name: "read_file",
        });
        expect(first.message.content.at(-1)).to.deep.equal({
            type: "tool-call",
            callId: "call_1",
            name: "read_file",
            input: { path: "a b.ts" },
        });
        const messages = [question, first.message, answersTo(first.message, '{"ok":false}')];
        expect((await collect(connection, requestWith({ messages }))).text).to.equal("Done.");
        expect(server.requests[1]?.body.input.at(-1)).to.deep.equal({
            type: "function_call_output",
            call_id: "call_1",
            output: '{"ok":false}',
        });
        server.assertDone();
    });

    it("Reasoning is sent back exactly as it came, also after a restart", async () => {
        await start({
            script: [
                reply(
                    reasoning("rs_1", "c2VjcmV0", "Which file? 🤔", "That one."),
                    functionCall("call_1", "read_file", {})
                ),
                reply(text("Done.")),
            ],
        });
        const question = userSays("Read it");
        const first = await collect(connection, requestWith({ messages: [question] }));
        expect(first.message.content[0]).to.deep.include({
            type: "thinking",
            text: "Which file? 🤔\n\nThat one.",
        });
        const messages = structuredClone([question, first.message, answersTo(first.message)]);
        await collect(await connectTo(server.url), requestWith({ messages }));
        const types = server.requests[1]?.body.input.map((item) => item.type ?? item.role);
        expect(types).to.deep.equal(["user", "reasoning", "function_call", "function_call_output"]);
        server.assertDone();
    });

    it("Reasoning without visible text is sent back too", async () => {
        await start({
            script: [
                reply(reasoning("rs_1", "c2VjcmV0"), functionCall("call_1", "read_file", {})),
                reply(text("Done.")),
            ],
        });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, answersTo(first.message)];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.input[1]).to.include({ encrypted_content: "c2VjcmV0" });
        server.assertDone();
    });

    it("Reasoning of a reply that was cut off after it is left out", async () => {
        await start({
            script: [
                reply(text("I look."), reasoning("rs_1", "c2VjcmV0", "Hm")),
                reply(text("Yes.")),
            ],
        });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, userSays("Sure?")];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.input[1]).to.deep.equal({
            role: "assistant",
            content: "I look.",
        });
        expect(server.requests[1]?.body.input).to.have.length(3);
        server.assertDone();
    });

    it("Commentary and answer keep their labels when they are sent back", async () => {
        await start({
            script: [
                reply(text("I look.", "commentary"), text("It is so.", "final_answer")),
                reply(text("Yes.")),
            ],
        });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, userSays("Sure?")];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.input.slice(1, 3)).to.deep.equal([
            { role: "assistant", content: "I look.", phase: "commentary" },
            { role: "assistant", content: "It is so.", phase: "final_answer" },
        ]);
        server.assertDone();
    });

    it("Summaries are dropped when the organization may not have them", async () => {
        await start({ script: () => reply(text("Hi")), isUnverified: true });
        expect((await collect(connection)).text).to.equal("Hi");
        await collect(connection);
        expect(server.requests.map(({ body }) => body.reasoning)).to.deep.equal([
            { effort: "medium" },
            { effort: "medium" },
        ]);
        expect(server.problems).to.have.length(1);
    });

    it("Earlier reasoning that the vendor can no longer read is dropped", async () => {
        await start({
            script: [reply(reasoning("rs_1", "c2VjcmV0", "Hm"), text("Yes.")), reply(text("No."))],
        });
        const first = await collect(connection);
        server.forgetReasoning();
        const messages = [userSays("Hello"), first.message, userSays("Sure?")];
        expect((await collect(connection, requestWith({ messages }))).text).to.equal("No.");
        expect(server.requests[1]?.body.input).to.have.length(3);
    });

    it("Cache reads and writes are not counted twice", async () => {
        await start({
            script: [
                {
                    blocks: [text("Hi")],
                    usage: {
                        input_tokens: 1_083,
                        input_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 50 },
                        output_tokens: 70,
                        output_tokens_details: { reasoning_tokens: 40 },
                        total_tokens: 1_153,
                    },
                },
            ],
        });
        expect((await collect(connection)).usage).to.deep.equal({
            inputTokens: 33,
            cacheReadTokens: 1_000,
            cacheWriteTokens: 50,
            outputTokens: 70,
        });
    });

    it("A gateway may send counts without details, or no counts", async () => {
        await start({
            script: [
                { blocks: [text("Hi")], usage: { input_tokens: 7, output_tokens: 3 } },
                { blocks: [text("Hi")], usage: null },
                { blocks: [text("Hi")], usage: { total_tokens: 10 } },
            ],
        });
        expect((await collect(connection)).usage).to.include({ inputTokens: 7, outputTokens: 3 });
        expect((await collect(connection)).usage).to.deep.equal({});
        expect((await collect(connection)).usage).to.include({ inputTokens: 0, outputTokens: 0 });
    });

    it("A call that hit the output limit is reported as cut", async () => {
        await start({
            script: [
                {
                    blocks: [functionCall("call_1", "read_file", '{"path": "a', true)],
                    status: "incomplete",
                    incompleteReason: "max_output_tokens",
                },
            ],
        });
        const { message, stop } = await collect(connection);
        expect(message.content.at(-1)).to.include({ malformedInput: '{"path": "a' });
        expect(stop).to.equal("max-output");
    });

    it("Filtered text and refusals are reported", async () => {
        await start({
            script: [
                { blocks: [text("So")], status: "incomplete", incompleteReason: "content_filter" },
                reply(refusal("I will not.")),
            ],
        });
        expect((await collect(connection)).stop).to.equal("refused");
        expect(await collect(connection)).to.include({ stop: "refused", text: "I will not." });
    });

    for (const [id, thinking, expected] of [
        ["gpt-6.2-sol", true, { effort: "medium", summary: "auto" }],
        ["gpt-6.2-sol", false, { effort: "low" }],
        ["gpt-6.1-sol", false, { effort: "low" }],
        ["gpt-6-luna", false, { effort: "none" }],
        ["gpt-5.6-terra", false, { effort: "none" }],
        ["gpt-5.1", true, { effort: "medium", summary: "auto" }],
        ["gpt-5.1", false, { effort: "none" }],
        ["gpt-5-mini", false, { effort: "minimal" }],
        ["gpt-5", true, { effort: "medium", summary: "auto" }],
        ["o3", false, { effort: "low" }],
        ["gpt-4o", true, undefined],
    ] as const) {
        it(`Model ${id} is ${thinking ? "" : "not "}asked to think`, async () => {
            await start({ script: [reply(text("Hi"))] });
            await collect(connection, requestWith({ model: modelNamed(id), thinking }));
            expect(server.requests[0]?.body.reasoning).to.deep.equal(expected);
            server.assertDone();
        });
    }

    it("A model is asked to think with the chosen effort", async () => {
        await start({ script: [reply(text("Hi"))] });
        const model = modelNamed("gpt-6.2-sol");
        await collect(connection, requestWith({ model, thinking: true, effort: "high" }));
        const { reasoning } = server.requests[0]?.body ?? {};
        expect(reasoning).to.deep.equal({ effort: "high", summary: "auto" });
        server.assertDone();
    });
});
