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
import type { Message, ModelConnection } from "../../../../src/plugin/index.js";
import { describeModel } from "../../../../src/builtin/providers/compatible/definition.js";
import { answersTo, userSays } from "../support.js";
import { collect, connectTo, definition, requestWith } from "./support.js";

const SIGNATURE = { google: { thought_signature: "c2lnbmF0dXJl" } };

/** Gemini's call as Google's compatible endpoint sends it. */
const signedCall = {
    tool_calls: [
        {
            index: 0,
            id: "call_1",
            type: "function",
            extra_content: SIGNATURE,
            function: { name: "read_file", arguments: '{"path":"a"}' },
        },
    ],
};

describe("What a server needs back with its calls", () => {
    let server: ChatServer;
    let connection: ModelConnection;

    async function start(options: ChatServerOptions): Promise<void> {
        server = await startChatServer(options);
        connection = await connectTo(server.url);
    }

    afterEach(async () => {
        await server.close();
    });

    /** Asks, answers the calls after the messages were stored, and returns the message sent back. */
    async function sentBack(request = requestWith()) {
        const first = await collect(connection, request);
        const messages: Message[] = structuredClone([
            userSays("Hello"),
            first.message,
            answersTo(first.message),
        ]);
        await collect(await connectTo(server.url), { ...request, messages });
        return server.requests.at(-1)?.body.messages.at(-2);
    }

    it("The pieces of reasoning_details go back joined by type and index, in order", async () => {
        const details = (...reasoning_details: readonly object[]) => ({ reasoning_details });
        const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
        const secret = { type: "reasoning.encrypted", index: 1, format: "google-gemini-v1" };
        await start({
            script: [
                reply(
                    [
                        { reasoning: "Which", ...details({ ...text, text: "Which" }) },
                        { reasoning: " file?", ...details({ ...text, text: " file?" }) },
                        details({ ...text, text: null, signature: "proof" }),
                        details(
                            { ...secret, id: "call_1", data: "AAAA" },
                            { ...secret, id: "call_2", data: "BBBB" }
                        ),
                    ],
                    calls(0, "call_1", "read_file", {})
                ),
                reply(says("Done.")),
            ],
            reasoningField: "reasoning",
            extras: true,
        });
        expect(await sentBack()).to.deep.include({
            reasoning: "Which file?",
            reasoning_details: [
                { ...text, text: "Which file?", signature: "proof" },
                { ...secret, id: "call_1", data: "AAAA" },
                { ...secret, id: "call_2", data: "BBBB" },
            ],
        });
        server.assertDone();
    });

    it("Thinking that comes only in reasoning_details is shown", async () => {
        const detail = { type: "reasoning.summary", summary: "Two files", index: 0 };
        await start({ script: [reply([{ reasoning_details: [detail] }], says("Yes."))] });
        const { events, text } = await collect(connection);
        expect(events[0]).to.deep.equal({ type: "thinking", text: "Two files" });
        expect(text).to.equal("Yes.");
    });

    it("A call's thought signature goes back with the call", async () => {
        await start({ script: [reply([signedCall]), reply(says("Done."))], extras: true });
        const message = await sentBack();
        expect(message?.tool_calls).to.deep.equal([
            {
                extra_content: SIGNATURE,
                type: "function",
                id: "call_1",
                function: { name: "read_file", arguments: '{"path":"a"}' },
            },
        ]);
        server.assertDone();
    });

    it("Unknown fields of a call's function go back too", async () => {
        const inner = { provider_specific_fields: { thought_signature: "abc" } };
        const called = { name: "read_file", arguments: "{}", ...inner };
        const piece = { index: 0, id: "call_1", function: called };
        await start({
            script: [reply([{ tool_calls: [piece] }]), reply(says("Done."))],
            extras: true,
        });
        const [call] = ((await sentBack())?.tool_calls ?? []) as { function: object }[];
        expect(call?.function).to.deep.equal({ ...inner, name: "read_file", arguments: "{}" });
    });

    it("Another model gets neither details nor signatures", async () => {
        await start({
            script: [
                reply([
                    { reasoning_details: [{ type: "reasoning.text", text: "Hm" }] },
                    signedCall,
                ]),
                reply(says("Done.")),
            ],
            extras: true,
        });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, answersTo(first.message)];
        const other = describeModel(definition, "another");
        await collect(connection, requestWith({ messages, model: other }));
        const sent = JSON.stringify(server.requests[1]?.body);
        expect(sent).to.include("call_1").and.not.include("extra_content");
        expect(sent).to.not.include("reasoning");
    });

    it("A server that refuses the fields it sent gets none from then on", async () => {
        await start({ script: () => reply([signedCall]) });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, answersTo(first.message)];
        for (let turn = 0; turn < 2; turn += 1) {
            await collect(connection, requestWith({ messages }));
        }
        expect(server.problems).to.have.length(1);
        expect(JSON.stringify(server.requests.at(-1)?.body)).to.not.include("extra_content");
    });

    it("An answer without calls goes back without signatures", async () => {
        const deltas = [{ reasoning_details: [{ type: "reasoning.text", text: "Hm" }] }];
        await start({ script: [reply(deltas, says("Yes.")), reply(says("No."))] });
        const first = await collect(connection);
        const messages = [userSays("Hello"), first.message, userSays("Sure?")];
        await collect(connection, requestWith({ messages }));
        expect(server.requests[1]?.body.messages[2]).to.deep.equal({
            role: "assistant",
            content: "Yes.",
        });
    });
});

describe("Cache marks behind a gateway", () => {
    let server: ChatServer;

    afterEach(async () => {
        await server.close();
    });

    const claude = describeModel(definition, "anthropic/claude-sonnet-5.5");
    const text = "A long line of source text.\n".repeat(400);
    const marksIn = (index: number) =>
        server.requests[index]?.raw.toString().match(/"cache_control"/g)?.length ?? 0;

    /** A conversation of four requests with a call in each. */
    async function converse(model = claude) {
        const connection = await connectTo(server.url);
        let messages: Message[] = [userSays(text)];
        for (let turn = 1; turn <= 4; turn += 1) {
            const { message } = await collect(
                connection,
                requestWith({ messages, model, system: text })
            );
            messages = [...messages, message, answersTo(message, `${turn} ${text}`)];
        }
    }

    const script = () =>
        reply(calls(0, `call_${server.requests.length}`, "read_file", { path: "a" }));

    it("Claude reads all but the newest messages from the cache, as without a gateway", async () => {
        server = await startChatServer({ script, cacheMarks: true, simulateCache: true });
        await converse();
        const read = server.counts.map((count) => count.cachedTokens / count.promptTokens);
        expect(read[0]).to.equal(0);
        for (const share of read.slice(1)) expect(share).to.be.greaterThan(0.6);
        expect([0, 1, 2, 3].map(marksIn)).to.deep.equal([2, 3, 3, 3]);
        server.assertDone();
    });

    it("A server that refuses the marks is asked again without them, once", async () => {
        server = await startChatServer({ script });
        await converse();
        expect(server.problems).to.have.length(1);
        expect(server.requests).to.have.length(4);
        expect(server.requests.at(-1)?.body.messages[0]?.content).to.equal(text);
    });

    it("Other models get their messages as plain text, without marks", async () => {
        server = await startChatServer({ script });
        await converse(describeModel(definition, "openai/gpt-5"));
        server.assertDone();
        expect(server.requests[3]?.raw.toString()).to.not.include("cache_control");
    });

    it("A one-off request is not marked", async () => {
        server = await startChatServer({ script: () => reply(says("{}")), cacheMarks: true });
        await collect(await connectTo(server.url), requestWith({ model: claude, isOneOff: true }));
        expect(marksIn(0)).to.equal(0);
        server.assertDone();
    });

    it("An image or an empty result at the end of a request is left unmarked", async () => {
        server = await startChatServer({ script: () => reply(says("Yes")), cacheMarks: true });
        const connection = await connectTo(server.url);
        const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
        const content = [{ type: "text", text: "What is it?" } as const, image];
        const model = { ...claude, images: true };
        await collect(connection, requestWith({ model, messages: [{ role: "user", content }] }));
        expect(marksIn(0)).to.equal(1);
        server.assertDone();
    });
});

describe("Text of a compatible server", () => {
    let server: ChatServer;

    afterEach(async () => {
        await server.close();
    });

    async function received(...deltas: readonly object[]) {
        server = await startChatServer({ script: [reply(deltas)] });
        const { events } = await collect(await connectTo(server.url));
        const said = (type: "text" | "thinking") =>
            events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
        return { events, text: said("text"), thinking: said("thinking") };
    }

    it("Text in parts is text, and thinking in parts is thinking", async () => {
        const { text, thinking, events } = await received(
            { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] },
            { content: [{ type: "thinking", thinking: ", well" }] },
            { content: [{ type: "text", text: "PA" }] },
            {
                content: [
                    { type: "text", text: "RTS" },
                    { type: "reference", ids: [1] },
                ],
            }
        );
        expect({ text, thinking }).to.deep.equal({ text: "PARTS", thinking: "Hm, well" });
        const types = events.map(({ type }) => type);
        expect(types.filter((type) => type === "thinking-end")).to.have.length(1);
    });

    const THOUGHT = "\n<think>\nWhich <b>file</b>?\n</think>\n\nThe <think> tag & a.ts";
    for (const size of [1, 3, THOUGHT.length]) {
        it(`A leading <think> block is thinking, in pieces of ${size}`, async () => {
            const pieces = Array.from({ length: Math.ceil(THOUGHT.length / size) }, (_, index) => ({
                content: THOUGHT.slice(index * size, (index + 1) * size),
            }));
            const { text, thinking } = await received(...pieces);
            expect(thinking).to.equal("\nWhich <b>file</b>?\n");
            expect(text).to.equal("The <think> tag & a.ts");
        });
    }

    for (const content of ["<thin", " \n", "<thinking>no</thinking>", "a <think>b</think>"]) {
        it(`Other text stays text: ${JSON.stringify(content)}`, async () => {
            const { text, thinking } = await received({ content });
            expect({ text, thinking }).to.deep.equal({ text: content, thinking: "" });
        });
    }

    it("A <think> block that does not end before a call is thinking", async () => {
        const { thinking, events } = await received(
            { content: "<think>So </thi" },
            ...calls(0, "call_1", "read_file", {})
        );
        expect(thinking).to.equal("So </thi");
        expect(events.at(-1)).to.include({ reason: "tool-calls" });
    });

    it("A thought in a field of its own is not read twice", async () => {
        const { text, thinking } = await received(...thinks("reasoning", "Hm"), ...says("Yes."));
        expect({ text, thinking }).to.deep.equal({ text: "Yes.", thinking: "Hm" });
    });
});
