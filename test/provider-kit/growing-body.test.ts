import { expect } from "chai";
import fc from "fast-check";
import { createBodyBuilder as createMessagesBuilder } from "../../src/builtin/providers/anthropic/request-body.js";
import { createBodyBuilder as createChatBuilder } from "../../src/builtin/providers/compatible/request-body.js";
import { createBodyBuilder as createResponsesBuilder } from "../../src/builtin/providers/openai/request-body.js";
import type { Message, ModelInfo, ModelRequest } from "../../src/plugin/index.js";
import { BodyMemory } from "../../src/provider-kit/growing-body.js";
import { anyMessages } from "../builtin/providers/messages.js";
import { requestWith, userSays } from "../builtin/providers/support.js";

const END = "]}".length;

const model: ModelInfo = {
    id: "gpt-6.2-sol",
    aliases: [],
    displayName: "A model",
    contextTokens: 100_000,
    maxOutputTokens: 10_000,
    thinking: "adaptive",
};

/** A new builder for each, as after a restart. */
const builders: Readonly<Record<string, () => (request: ModelRequest) => Buffer>> = {
    "the Responses API": () => {
        const build = createResponsesBuilder();
        return (request) => build(request, new Set());
    },
    "chat completions": () => {
        const build = createChatBuilder("local");
        return (request) => build(request, new Set());
    },
};

for (const [name, createBuilder] of Object.entries(builders)) {
    const requestOf = (messages: readonly Message[]) => requestWith({ model, messages });

    describe(`Requests for ${name}`, () => {
        it("Each request begins with all bytes of the previous one", () => {
            fc.assert(
                fc.property(anyMessages, fc.nat(), (messages, cut) => {
                    const build = createBuilder();
                    const before = build(requestOf(messages.slice(0, cut % messages.length)));
                    const after = build(requestOf(messages));
                    const common = before.length - END;
                    const isPrefix = after.subarray(0, common).equals(before.subarray(0, common));
                    expect(isPrefix).to.equal(true);
                })
            );
        });

        it("A request has the same bytes after a restart", () => {
            fc.assert(
                fc.property(anyMessages, (messages) => {
                    const first = createBuilder()(requestOf(messages));
                    const again = createBuilder()(requestOf(structuredClone(messages)));
                    expect(again.equals(first)).to.equal(true);
                })
            );
        });

        it("A request is JSON without half characters, however odd its messages", () => {
            fc.assert(
                fc.property(anyMessages, (messages) => {
                    const text = createBuilder()(requestOf(messages)).toString();
                    expect(() => JSON.parse(text) as unknown).to.not.throw();
                    expect(text).to.not.match(/(?<!\\)(\\\\)*\\ud[89a-f]/);
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
            const build = createBuilder();
            build(requestOf([message]));
            const once = reads;
            build(requestOf([message, userSays("More")]));
            expect(reads).to.equal(once);
        });

        it("Each model has its own request", () => {
            const image = { type: "image", mediaType: "image/png", data: "AAAA", name: "a.png" };
            const message = { role: "user", content: [image] } as Message;
            const build = createBuilder();
            const told = build(requestOf([message])).toString();
            const seeing = { ...model, id: "o3", images: true };
            const seen = build(requestWith({ model: seeing, messages: [message] })).toString();
            expect(told).to.include("[Image: a.png]").and.not.include("AAAA");
            expect(seen).to.include("data:image/png;base64,AAAA");
        });
    });
}

class WatchedMemory extends BodyMemory {
    joined: readonly Buffer[] = [];

    override join(pieces: readonly Buffer[]): Buffer<ArrayBuffer> {
        this.joined = pieces;
        return super.join(pieces);
    }
}

describe("Kept messages", () => {
    it("A message that is kept for the next request holds no memory but its own", () => {
        const request = requestWith({ model, messages: [userSays("Hello"), userSays("again")] });
        const builders = [
            (memory: BodyMemory) => createMessagesBuilder(memory)(request),
            (memory: BodyMemory) => createResponsesBuilder(memory)(request, new Set()),
            (memory: BodyMemory) => createChatBuilder("local", memory)(request, new Set()),
        ];
        for (const build of builders) {
            const memory = new WatchedMemory();
            build(memory);
            const hello = memory.joined.find((piece) => piece.includes("Hello"));
            expect(hello?.buffer.byteLength).to.equal(hello?.length);
        }
    });
});
