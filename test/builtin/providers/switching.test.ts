import { expect } from "chai";
import fc from "fast-check";
import * as chat from "../../helpers/vendors/chat-completions-server.js";
import * as googleServer from "../../helpers/vendors/google-server.js";
import * as anthropicServer from "../../helpers/vendors/messages-server.js";
import * as responses from "../../helpers/vendors/responses-server.js";
import { anthropic } from "../../../src/builtin/providers/anthropic/index.js";
import { createCompatibleProvider } from "../../../src/builtin/providers/compatible/create-provider.js";
import { google } from "../../../plugins/north-provider-google/src/provider.js";
import { openai } from "../../../src/builtin/providers/openai/index.js";
import type {
    AssistantMessage,
    Message,
    ModelConnection,
    ModelInfo,
    Provider,
} from "../../../src/plugin/index.js";
import { anyText } from "./messages.js";
import { answersTo, collect, requestWith, userSays } from "./support.js";

const house = createCompatibleProvider({
    name: "house",
    baseURL: "http://127.0.0.1:1/v1",
    models: [{ id: "llama3", images: true }],
});

/** A long id, and one with characters that others reject. */
const LONG_ID = `chatcmpl-tool-${"0123456789abcdef".repeat(4)}`;
const ODD_ID = "functions.read_file:0";

/** One model and its strict server. */
interface Seat {
    readonly provider: Provider;
    readonly model: ModelInfo;
    readonly connection: ModelConnection;
}

function modelOf(provider: Provider, id: string): ModelInfo {
    const model = provider.describe?.(id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return model;
}

describe("Switching vendors", () => {
    let messagesServer: anthropicServer.MessagesServer;
    let responsesServer: responses.ResponsesServer;
    let chatServer: chat.ChatServer;
    let gemini: googleServer.GoogleServer;
    let round = 0;

    beforeEach(async () => {
        round = 0;
        messagesServer = await anthropicServer.startMessagesServer({
            script: () =>
                anthropicServer.reply(
                    anthropicServer.thinking(`Claude ${round}`, `signature-${round}`),
                    anthropicServer.text("I look."),
                    anthropicServer.toolUse(`toolu_${round}`, "read_file", { path: "a" })
                ),
        });
        responsesServer = await responses.startResponsesServer({
            script: () =>
                responses.reply(
                    responses.reasoning(`rs_${round}`, `secret-${round}`, `GPT ${round}`),
                    responses.text("I look too.", "commentary"),
                    responses.functionCall(`call_${round}a`, "read_file", { path: "b" }),
                    responses.functionCall(`call_${round}b`, "read_file", { path: "c" })
                ),
        });
        chatServer = await chat.startChatServer({
            script: () =>
                chat.reply(
                    chat.thinks("reasoning_content", `Llama ${round}`),
                    chat.calls(0, `${ODD_ID}${round}`, "read_file", { path: "d" }),
                    chat.calls(1, `${LONG_ID}${round}`, "read.file!", { path: "e" })
                ),
            reasoningField: "reasoning_content",
        });
        gemini = await googleServer.startGoogleServer({
            script: () => ({
                parts: [
                    { text: `Gemini ${round}`, thought: true },
                    {
                        functionCall: { id: `g${round}`, name: "read_file", args: { path: "f" } },
                        thoughtSignature: `signed-${round}`,
                    },
                    { functionCall: { id: `h${round}`, name: "read_file", args: {} } },
                ],
            }),
        });
    });

    afterEach(async () => {
        const all = [messagesServer, responsesServer, chatServer, gemini];
        await Promise.all(all.map((server) => server.close()));
    });

    function assertAccepted(): void {
        messagesServer.assertDone();
        responsesServer.assertDone();
        chatServer.assertDone();
        gemini.assertDone();
    }

    async function seats(): Promise<readonly [Seat, Seat, Seat, Seat]> {
        const key = { apiKey: "test-key" };
        return [
            {
                provider: anthropic,
                model: modelOf(anthropic, "claude-sonnet-5-5"),
                connection: await anthropic.connect({ ...key, baseURL: messagesServer.url }),
            },
            {
                provider: openai,
                model: modelOf(openai, "gpt-6.2-sol"),
                connection: await openai.connect({ ...key, baseURL: responsesServer.url }),
            },
            {
                provider: house,
                model: modelOf(house, "llama3"),
                connection: await house.connect({ baseURL: chatServer.url }),
            },
            {
                provider: google,
                model: modelOf(google, "gemini-3.8-flash"),
                connection: await google.connect({ ...key, baseURL: gemini.url }),
            },
        ];
    }

    async function ask({ provider, model, connection }: Seat, messages: readonly Message[]) {
        const request = requestWith({ model, messages });
        return (await collect(connection, request, undefined, provider.id)).message;
    }

    const question: Message = {
        role: "user",
        content: [
            { type: "text", text: "What is in it?" },
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=", name: "a.png" },
        ],
    };

    /** Everybody answers in turn, as stored and read back after each. */
    async function goRound(order: readonly number[]): Promise<readonly Message[]> {
        const all = await seats();
        const messages: Message[] = [question];
        for (const [turn, index] of order.entries()) {
            round = turn;
            const message = await ask(all[index % all.length]!, messages);
            messages.push(structuredClone(message), answersTo(message));
            if (turn % 2 === 1) messages.push(userSays("Go on."));
        }
        return messages;
    }

    it("Every vendor accepts a conversation that changes vendors with each turn", async () => {
        await goRound([0, 1, 2, 3, 0, 1, 3, 2, 2, 3, 3, 1, 0, 0]);
        assertAccepted();
    });

    it("Every order of vendors is accepted", async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 }),
                async (order) => {
                    await goRound(order);
                }
            ),
            { numRuns: 10 }
        );
        assertAccepted();
    });

    it("Each vendor gets its own thinking back and nobody else's", async () => {
        const messages = await goRound([0, 1, 2, 3]);
        round = 4;
        for (const seat of await seats()) await ask(seat, messages);
        assertAccepted();
        const last = (server: { requests: readonly { raw: Buffer }[] }) =>
            server.requests.at(-1)?.raw.toString() ?? "";
        expect(last(messagesServer)).to.include("Claude 0").and.include("signature-0");
        expect(last(messagesServer)).to.not.match(/GPT 1|secret-1|Llama 2/);
        expect(last(responsesServer)).to.include("GPT 1").and.include("secret-1");
        expect(last(responsesServer)).to.not.match(/Claude 0|signature-0|Llama 2/);
        expect(last(chatServer)).to.include("Llama 2");
        expect(last(chatServer)).to.not.match(/Claude 0|signature-0|GPT 1|secret-1/);
        expect(last(gemini)).to.include("signed-3");
        expect(last(gemini)).to.not.match(/Claude 0|signature-0|GPT 1|secret-1|Llama 2/);
    });

    it("Every vendor gets the image", async () => {
        const messages = await goRound([0, 1, 2]);
        for (const seat of await seats()) await ask(seat, messages);
        for (const server of [messagesServer, responsesServer, chatServer, gemini]) {
            expect(server.requests.at(-1)?.raw.toString()).to.include("iVBORw0KGgo=");
        }
    });

    it("Thinking is not sent to another model of the same vendor", async () => {
        const messages = await goRound([0, 1]);
        const [claude, gpt] = await seats();
        round = 2;
        await ask({ ...claude, model: modelOf(anthropic, "claude-opus-5-5") }, messages);
        await ask({ ...gpt, model: modelOf(openai, "gpt-6.2-astra") }, messages);
        assertAccepted();
    });

    it("A vendor gets the same bytes when the conversation returns to it", async () => {
        const messages = await goRound([0, 1, 2]);
        const bytes = async () => {
            round += 1;
            for (const seat of await seats()) await ask(seat, messages);
            return [messagesServer, responsesServer, chatServer, gemini].map(
                (server) => server.requests.at(-1)?.raw.toString() ?? ""
            );
        };
        expect(await bytes()).to.deep.equal(await bytes());
    });

    it("Any reply can be sent to any vendor, even a truncated or odd one", async () => {
        const all = await seats();
        await fc.assert(
            fc.asyncProperty(fc.array(oddReply, { minLength: 1, maxLength: 4 }), async (odd) => {
                const messages = odd.flatMap((reply, index) => turnOf(reply, index));
                round += 1;
                for (const seat of all) await ask(seat, messages);
            }),
            { numRuns: 40 }
        );
        assertAccepted();
    });
});

/** A part of a reply of some vendor and model that takes no part in the conversation now. */
const oddPart = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: anyText }),
    fc.record({
        type: fc.constant("thinking" as const),
        text: anyText,
        provider: fc.constantFrom("anthropic", "openai", "house", "mistral", "google"),
        model: fc.constantFrom("claude-opus-4-8", "gpt-5.1", "qwen3"),
        opaque: fc.constantFrom(
            { signature: "c2ln", boundTo: "x" },
            { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "x" },
            { type: "phase", phase: "commentary" },
            { field: "reasoning_content" },
            { calls: { x: "c2ln" }, text: 7 },
            "odd"
        ),
    }),
    fc.record({
        type: fc.constant("tool-call" as const),
        callId: fc.oneof(anyText, fc.string({ minLength: 30, maxLength: 80 }), fc.uuid()),
        name: anyText,
        input: fc.dictionary(fc.string(), anyText),
    })
);

const oddReply = fc.array(oddPart, { maxLength: 4 });

/** A question, the reply, and the results of all its calls; ids are unique in a conversation. */
function turnOf(parts: AssistantMessage["content"], turn: number): Message[] {
    const content = parts.map((part, index) =>
        part.type === "tool-call" ? { ...part, callId: `${part.callId}/${turn}/${index}` } : part
    );
    const reply: AssistantMessage = { role: "assistant", content };
    const answers = answersTo(reply);
    return [
        userSays(`Question ${turn}`),
        reply,
        ...(answers.content.length > 0 ? [answers] : []),
        userSays("And then?"),
    ];
}
