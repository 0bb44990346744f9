import { expect } from "chai";
import type { SentContext } from "../../../../src/core/conversation/sent-context.js";
import { summaryRequest } from "../../../../src/core/summary/summary-request.js";
import fc from "fast-check";
import {
    type MessagesServer,
    type Reply,
    reply,
    startMessagesServer,
    text,
    thinking,
    toolUse,
} from "../../../helpers/vendors/messages-server.js";
import { pngOf } from "../../../helpers/images.js";
import { sampled } from "../../../helpers/sample.js";
import { createBodyBuilder } from "../../../../src/builtin/providers/anthropic/request-body.js";
import { connect } from "../../../../src/builtin/providers/anthropic/connect.js";
import type { Message, ModelRequest } from "../../../../src/plugin/index.js";
import { priceOf, promptTokens } from "../../../../src/core/costs/price.js";
import { answersTo, collect, modelNamed, requestWith, userSays } from "../support.js";
import { anyMessages } from "../messages.js";

const END = "]}".length;

/** The JSON of a body, which must be valid however odd the messages were. */
function parsed(bytes: Buffer): { messages: { role: string; content: object[] }[] } {
    return JSON.parse(bytes.toString());
}

/** The vendor does not count cache marks as content. */
function withoutMarks(bytes: Buffer): Buffer {
    return Buffer.from(bytes.toString("latin1").replaceAll(MARKS, ""), "latin1");
}

const MARKS = /,"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}/g;

describe("Anthropic requests", () => {
    let server: MessagesServer | undefined;

    afterEach(async () => {
        await server?.close();
        server = undefined;
    });

    it("Each request begins with all bytes of the previous one", () => {
        fc.assert(
            fc.property(anyMessages, fc.nat(), (messages, cut) => {
                const build = createBodyBuilder();
                const shorter = messages.slice(0, cut % messages.length);
                const before = withoutMarks(build(requestWith({ messages: shorter })).bytes);
                const after = withoutMarks(build(requestWith({ messages })).bytes);
                const common = before.length - END;
                expect(after.subarray(0, common).equals(before.subarray(0, common))).to.equal(true);
            })
        );
    });

    it("A request has the same bytes after a restart", () => {
        fc.assert(
            fc.property(anyMessages, (messages) => {
                const first = createBodyBuilder()(requestWith({ messages }));
                const again = createBodyBuilder()(
                    requestWith({ messages: structuredClone(messages) })
                );
                expect(again.bytes.equals(first.bytes)).to.equal(true);
                expect(again.fingerprint).to.equal(first.fingerprint);
            })
        );
    });

    it("A request contains no empty message, no blank text and no half characters", () => {
        fc.assert(
            fc.property(anyMessages, (messages) => {
                const { bytes } = createBodyBuilder()(requestWith({ messages }));
                for (const { content } of parsed(bytes).messages) {
                    expect(content).to.not.have.length(0);
                    for (const block of content) {
                        if ("text" in block) expect(String(block.text).trim()).to.not.equal("");
                    }

                    expect(JSON.stringify(content)).to.not.match(/(?<!\\)(\\\\)*\\ud[89a-f]/);
                }
            })
        );
    });

    it("A message is serialized only once", () => {
        let reads = 0;
        const content = [{ type: "text" as const, text: "Hello" }];
        const message: Message = {
            role: "user",
            get content() {
                reads += 1;
                return content;
            },
        };
        const build = createBodyBuilder();
        build(requestWith({ messages: [message] }));
        const once = reads;
        build(requestWith({ messages: [message, userSays("More")] }));
        expect(reads).to.equal(once);
    });

    it("A 21st image leaves out the oldest ten, if one is so large that the vendor would refuse all", () => {
        const asked = (width: number) => {
            const data = pngOf(width, 1_000).toString("base64");
            const image = { type: "image", mediaType: "image/png", data } as const;
            const messages = Array.from({ length: 21 }, () => ({
                role: "user" as const,
                content: [image],
            }));
            const model = { ...modelNamed("claude-sonnet-5-5"), images: true };
            return createBodyBuilder()(requestWith({ messages, model })).bytes.toString();
        };
        expect(asked(2_001).split('"type":"image"')).to.have.length(1 + 11);
        expect(asked(2_000).split('"type":"image"')).to.have.length(1 + 21);
    });

    it("Thinking of another model or provider, or without a signature, is left out", () => {
        const build = createBodyBuilder();
        const { fingerprint } = build(requestWith({ messages: [userSays("Hi")] }));
        const part = { type: "thinking", text: "Hm", provider: "anthropic" } as const;
        const mine = { ...part, model: "claude-sonnet-5-5" };
        const bound = { signature: "s", boundTo: fingerprint };
        const message: Message = {
            role: "assistant",
            content: [
                { ...part, model: "claude-opus-5-5", opaque: bound },
                { ...mine, provider: "other", opaque: bound },
                { ...mine, opaque: { boundTo: fingerprint } },
                { ...mine },
                { ...mine, text: "Mine", opaque: bound },
                { type: "text", text: "Yes" },
            ],
        };
        const { bytes } = build(requestWith({ messages: [userSays("Hi"), message] }));
        expect(parsed(bytes).messages[1]?.content).to.deep.equal([
            { type: "thinking", thinking: "Mine", signature: "s" },
            { type: "text", text: "Yes" },
        ]);
    });

    it("Models with vision get the images, others only their names", () => {
        const image = {
            type: "image",
            mediaType: "image/png",
            data: "AAAA",
            name: "a.png",
        } as const;
        const messages: Message[] = [{ role: "user", content: [image] }];
        const blind = { ...modelNamed("claude-sonnet-5-5"), images: false };
        const seen = parsed(createBodyBuilder()(requestWith({ messages })).bytes);
        const told = parsed(createBodyBuilder()(requestWith({ messages, model: blind })).bytes);
        expect(seen.messages[0]?.content).to.deep.equal([
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ]);
        expect(told.messages[0]?.content).to.deep.equal([{ type: "text", text: "[Image: a.png]" }]);
    });

    const settings: readonly (readonly [string, Partial<ModelRequest>, object | undefined])[] = [
        ["claude-sonnet-5-5", { thinking: true }, { type: "adaptive", display: "summarized" }],
        ["claude-sonnet-5-5", { thinking: false }, { type: "between_tools" }],
        ["claude-opus-5-5", { thinking: false }, { type: "adaptive", display: "summarized" }],
        ["claude-opus-4-8", { thinking: false }, { type: "disabled" }],
        [
            "claude-opus-4-5-20251101",
            { thinking: true, maxOutputTokens: 64_000 },
            { type: "enabled", budget_tokens: 16_000 },
        ],
        [
            "claude-haiku-4-5-20251001",
            { thinking: true, maxOutputTokens: 4_000 },
            { type: "enabled", budget_tokens: 2_000 },
        ],
        ["claude-haiku-4-5-20251001", { thinking: true, maxOutputTokens: 2_000 }, undefined],
        ["claude-haiku-4-5-20251001", { thinking: false }, undefined],
    ];
    for (const [id, changes, expected] of settings) {
        it(`Thinking of ${id} is set for ${JSON.stringify(changes)}`, async () => {
            server = await startMessagesServer({ script: [reply(text("Hi"))] });
            const connection = await connect({ apiKey: "k", baseURL: server.url });
            await collect(connection, requestWith({ model: modelNamed(id), ...changes }));
            expect(server.requests[0]?.body.thinking).to.deep.equal(expected);
            server.assertDone();
        });
    }

    it("An effort is sent only when the model thinks", async () => {
        server = await startMessagesServer({ script: () => reply(text("Hi")) });
        const connection = await connect({ apiKey: "k", baseURL: server.url });
        const ask = async (id: string, thinks: boolean) => {
            const model = modelNamed(id);
            await collect(connection, requestWith({ model, thinking: thinks, effort: "high" }));
            return server?.requests.at(-1)?.body.output_config;
        };
        expect(await ask("claude-sonnet-5-5", true)).to.deep.equal({ effort: "high" });
        expect(await ask("claude-sonnet-5-5", false)).to.equal(undefined);
        expect(await ask("claude-haiku-4-5-20251001", true)).to.equal(undefined);
        server.assertDone();
    });

    it("A model with a thinking budget does not think in the middle of another model's calls", () => {
        const model = modelNamed("claude-haiku-4-5-20251001");
        const messages: Message[] = [
            userSays("Hi"),
            {
                role: "assistant",
                content: [{ type: "tool-call", callId: "call|1", name: "read_file", input: {} }],
            },
            {
                role: "tool",
                content: [
                    {
                        type: "tool-result",
                        callId: "call|1",
                        name: "read_file",
                        content: "{}",
                        isError: false,
                    },
                ],
            },
        ];
        const build = createBodyBuilder();
        expect(parsed(build(requestWith({ model, messages })).bytes)).to.not.have.property(
            "thinking"
        );
        // To the vendor a question directly after results is one turn with them.
        const asked = [...messages, userSays("And?")];
        const next = requestWith({ model, messages: asked });
        expect(parsed(build(next).bytes)).to.not.have.property("thinking");
        const answer: Message = { role: "assistant", content: [{ type: "text", text: "Done." }] };
        const later = requestWith({ model, messages: [...asked, answer, userSays("Now?")] });
        expect(parsed(build(later).bytes)).to.have.property("thinking");
    });
});

describe("Long conversations with Anthropic", () => {
    let server: MessagesServer;

    afterEach(async () => {
        await server.close();
    });

    /** A turn that thinks, calls some tools and gets 1 KB for each. */
    function scriptOf(turns: number, callsPerTurn: number): Reply[] {
        return Array.from({ length: turns }, (_value, turn) =>
            reply(
                thinking(`Step ${turn}`, `signature-${turn}`),
                ...Array.from({ length: callsPerTurn }, (_call, index) =>
                    toolUse(`toolu_${turn}_${index}`, "read_file", { path: `${turn}/${index}.ts` })
                )
            )
        );
    }

    /** What the input costs, over the cost where each request reads all of the one before. */
    async function costOverIdeal(turns: number, callsPerTurn: number): Promise<number> {
        server = await startMessagesServer({
            script: scriptOf(turns, callsPerTurn),
            simulateCache: true,
        });
        const connection = await connect({ apiKey: "k", baseURL: server.url });
        const messages: Message[] = [userSays("Go")];
        // About what North's own prompt and tools take.
        const system = "You help with code. ".repeat(1_300);
        const { model } = requestWith();
        let cost = 0;
        let ideal = 0;
        let before = 0;
        for (let turn = 0; turn < turns; turn += 1) {
            const { message, usage } = await collect(connection, requestWith({ messages, system }));
            const { outputTokens: _, ...input } = usage;
            const all = promptTokens(input);
            const best = { cacheReadTokens: before, cacheWriteTokens: all - before };
            cost += priceOf(input, model) ?? NaN;
            ideal += priceOf(best, model) ?? NaN;
            before = all;
            messages.push(message, answersTo(message, "x".repeat(1_000)));
        }
        server.assertDone();
        expect(server.counts).to.have.length(turns);
        const last = server.requests.at(-1)?.body.messages[1]?.content[0];
        expect(last?.type).to.equal("thinking");
        return cost / ideal;
    }

    for (const calls of sampled([1, 5, 15, 30], 1)) {
        it(`Input with ${calls} calls a reply costs at most 1% more than an ideal cache bills`, async () => {
            expect(await costOverIdeal(20, calls)).to.be.within(0.99, 1.01);
        });
    }
});

describe("Cache lifetimes with Anthropic", () => {
    const lifetimes = (changes: Partial<ModelRequest>): string[] => {
        const messages: Message[] = [
            userSays("Go"),
            { role: "assistant", content: [{ type: "text", text: "Gone." }] },
            userSays("And?"),
        ];
        const { bytes } = createBodyBuilder()(requestWith({ messages, ...changes }));
        return bytes.toString().match(MARKS) ?? [];
    };
    const SHORT = ',"cache_control":{"type":"ephemeral"}';
    const LONG = ',"cache_control":{"type":"ephemeral","ttl":"1h"}';

    it("Print mode caches for five minutes", () => {
        expect(lifetimes({})).to.deep.equal([SHORT, SHORT, SHORT]);
    });

    it("A request that nothing extends, such as a summary's, caches nothing", () => {
        expect(lifetimes({ isOneOff: true, hasPauses: true })).to.deep.equal([]);
        const [message, model] = [userSays("Go"), modelNamed("claude-sonnet-5-5")];
        const context = { sharesOf: () => [] } as unknown as SentContext;
        const ids = { model, conversationId: "c0ffee" };
        expect(summaryRequest({ ...ids, messages: [message], context }).isOneOff).to.equal(true);
    });

    it("The chat caches for an hour", () => {
        expect(lifetimes({ hasPauses: true })).to.deep.equal([LONG, LONG, LONG]);
    });

    it("The chat caches for five minutes where an hour costs more than a pause", () => {
        const model = modelNamed("claude-sonnet-5-5");
        const prices = { ...model.prices!, cacheWriteLong: 9 };
        const { prices: _, ...unpriced } = model;
        expect(lifetimes({ hasPauses: true, model: { ...model, prices } })).to.include(SHORT);
        expect(lifetimes({ hasPauses: true, model: unpriced })).to.include(SHORT);
    });

    it("Thinking stays bound to its conversation when the cache lifetime changes", () => {
        const build = createBodyBuilder();
        const inPrint = build(requestWith({ messages: [userSays("Hi")] }));
        const inChat = build(requestWith({ messages: [userSays("Hi")], hasPauses: true }));
        expect(inChat.fingerprint).to.equal(inPrint.fingerprint);
    });
});
