import { expect } from "chai";
import {
    type MessagesServer,
    type MessagesServerOptions,
    redactedThinking,
    reply,
    startMessagesServer,
    text,
    thinking,
    toolUse,
} from "../../../helpers/vendors/messages-server.js";
import { anthropic } from "../../../../src/builtin/providers/anthropic/index.js";
import type { ModelConnection } from "../../../../src/plugin/index.js";
import { collect, modelNamed, requestWith, userSays } from "../support.js";

describe("Anthropic connection", () => {
    let server: MessagesServer;
    let connection: ModelConnection;

    async function start(options: MessagesServerOptions): Promise<void> {
        server = await startMessagesServer(options);
        connection = await anthropic.connect({ apiKey: "test-key", baseURL: server.url });
    }

    afterEach(async () => {
        await server.close();
    });

    it("The key is sent as the SDK sends it, also to a base URL with a path", async () => {
        await start({ script: [reply(text("Hi"))], apiKey: "test-key", basePath: "/gateway/a" });
        await collect(connection, requestWith());
        expect(server.requests[0]?.headers["anthropic-version"]).to.match(/^20\d\d-/);
        server.assertDone();
    });

    it("A tool call is assembled from its pieces, and its result is sent back", async () => {
        await start({
            script: [
                reply(text("Let me look."), toolUse("toolu_1", "read_file", { path: "a b.ts" })),
                reply(text("Done.")),
            ],
        });
        const question = userSays("Read it");
        const first = await collect(connection, requestWith({ messages: [question] }));
        expect(first.stop).to.equal("tool-calls");
        expect(first.events).to.deep.include({
            type: "tool-call-start",
            callId: "toolu_1",
            name: "read_file",
        });
        expect(first.message.content.at(-1)).to.deep.equal({
            type: "tool-call",
            callId: "toolu_1",
            name: "read_file",
            input: { path: "a b.ts" },
        });
        const answered = requestWith({
            messages: [
                question,
                first.message,
                {
                    role: "tool",
                    content: [
                        {
                            type: "tool-result",
                            callId: "toolu_1",
                            name: "read_file",
                            content: '{"ok":false}',
                            isError: true,
                        },
                    ],
                },
            ],
        });
        expect((await collect(connection, answered)).text).to.equal("Done.");
        expect(server.requests[1]?.body.messages.at(-1)?.content).to.deep.equal([
            {
                type: "tool_result",
                tool_use_id: "toolu_1",
                content: '{"ok":false}',
                is_error: true,
            },
        ]);
        server.assertDone();
    });

    it("Readable and redacted thinking is sent back exactly as it came", async () => {
        await start({
            script: [
                reply(
                    thinking("Which file? 🤔", "c2lnbmVk"),
                    redactedThinking("c2VjcmV0"),
                    toolUse("toolu_1", "read_file", {})
                ),
                reply(text("Done.")),
            ],
        });
        const question = userSays("Read it");
        const first = await collect(connection, requestWith({ messages: [question] }));
        const result = {
            type: "tool-result",
            callId: "toolu_1",
            name: "read_file",
            content: "{}",
            isError: false,
        } as const;
        // As after a restart: the same conversation, read back from a log.
        const stored = structuredClone([
            question,
            first.message,
            { role: "tool" as const, content: [result] },
        ]);
        const again = await anthropic.connect({ apiKey: "test-key", baseURL: server.url });
        await collect(again, requestWith({ messages: stored }));
        const sent = server.requests[1]?.body.messages[1]?.content.map((block) => block.type);
        expect(sent).to.deep.equal(["thinking", "redacted_thinking", "tool_use"]);
        server.assertDone();
    });

    it("Thinking is left out once the messages before it have changed", async () => {
        await start({
            script: [reply(thinking("Hm", "c2ln"), text("Yes.")), reply(text("No."))],
        });
        const question = userSays("Is it?");
        const first = await collect(connection, requestWith({ messages: [question] }));
        const messages = [question, first.message, userSays("Sure?")];
        await collect(connection, requestWith({ messages, system: "Another mode." }));
        expect(server.requests[1]?.body.messages[1]?.content).to.deep.equal([
            { type: "text", text: "Yes." },
        ]);
        server.assertDone();
    });

    it("Cache counts are added up, and one-hour writes are counted apart", async () => {
        await start({
            script: [
                {
                    blocks: [text("Hi")],
                    usage: {
                        input_tokens: 3,
                        output_tokens: 70,
                        cache_read_input_tokens: 1_000,
                        cache_creation_input_tokens: 50,
                        cache_creation: {
                            ephemeral_5m_input_tokens: 30,
                            ephemeral_1h_input_tokens: 20,
                        },
                    },
                },
            ],
        });
        const { usage } = await collect(connection, requestWith());
        expect(usage).to.deep.equal({
            inputTokens: 3,
            outputTokens: 70,
            cacheReadTokens: 1_000,
            cacheWriteTokens: 30,
            cacheWriteLongTokens: 20,
        });
    });

    for (const [vendor, reason] of [
        ["max_tokens", "max-output"],
        ["model_context_window_exceeded", "context-overflow"],
        ["pause_turn", "paused"],
        ["stop_sequence", "end"],
    ] as const) {
        it(`The stop reason ${vendor} is reported as ${reason}`, async () => {
            await start({ script: [{ blocks: [text("So")], stopReason: vendor }] });
            expect((await collect(connection, requestWith())).stop).to.equal(reason);
        });
    }

    it("A refusal is reported with the vendor's explanation", async () => {
        const stopDetails = { type: "refusal", category: "cyber", explanation: "Not this." };
        await start({ script: [{ stopReason: "refusal", stopDetails }] });
        const { events } = await collect(connection, requestWith());
        expect(events.at(-1)).to.deep.equal({
            type: "stop",
            reason: "refused",
            detail: "Not this.",
        });
    });

    it("A deprecated model prints no warning on the screen", async () => {
        await start({ script: [reply(text("Hi"))] });
        const written: unknown[] = [];
        const { warn } = console;
        console.warn = (...message: unknown[]) => written.push(message);
        try {
            const model = modelNamed("claude-sonnet-4-5-20250929");
            await collect(connection, requestWith({ model }));
        } finally {
            console.warn = warn;
        }
        expect(written).to.deep.equal([]);
        server.assertDone();
    });

    it("A compressed answer is read even though none was requested", async () => {
        await start({ script: [{ blocks: [text("Packed")], isGzipped: true }] });
        expect((await collect(connection, requestWith())).text).to.equal("Packed");
    });
});
