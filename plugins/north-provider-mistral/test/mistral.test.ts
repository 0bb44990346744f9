import { expect } from "chai";
import type { ModelEvent, ModelRequest } from "north-cli/plugin";
import { checkProvider, checkReply, sampleRequest } from "north-cli/plugin-testing";
import { toCallId } from "north-cli/provider-kit";
import {
    type MistralReply,
    type MistralServer,
    startMistralServer,
} from "../../../test/helpers/vendors/mistral-server.js";

import { describeModel, mistralModels } from "../src/models.js";
import { mistral } from "../src/provider.js";

// What it has in common with the other providers is in test/contract/vendors.test.ts.

const apiKey = "a-key-of-the-test";
const readFile = {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const done: MistralReply = { deltas: [{ content: "ok" }] };

describe("Mistral provider", () => {
    let server: MistralServer;

    async function read(reply: MistralReply, request: Partial<ModelRequest> = {}) {
        server = await startMistralServer({ script: [reply] });
        // With or without the version: users paste either.
        const connection = await mistral.connect({ apiKey, baseURL: `${server.url}/v1` });
        const events: ModelEvent[] = [];
        const { signal } = new AbortController();
        const asked = sampleRequest(mistral, request);
        for await (const event of connection.stream(asked, { signal })) events.push(event);
        checkReply(events);
        return events;
    }

    afterEach(async () => {
        await server.close();
    });

    it("The Mistral provider satisfies the provider contract", async () => {
        server = await startMistralServer({ script: [done, done] });
        const requests = [
            sampleRequest(mistral, { tools: [readFile] }),
            sampleRequest(mistral, { thinking: true }),
        ];
        await checkProvider(mistral, { connection: { apiKey, baseURL: server.url }, requests });
        const [first, second] = server.requests.map(({ body }) => body);
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
        server.assertDone();
    });

    it("Text is read from strings and chunks, and thinking from pieces", async () => {
        const think = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
        const events = await read({
            deltas: [
                { content: [think("h")] },
                { content: [think("m")] },
                { content: "Good " },
                { content: [{ type: "text", text: "day" }] },
            ],
        });
        expect(events.filter(({ type }) => type !== "usage")).to.deep.equal([
            { type: "thinking", text: "h" },
            { type: "thinking", text: "m" },
            { type: "thinking-end" },
            { type: "text", text: "Good " },
            { type: "text", text: "day" },
            { type: "stop", reason: "end" },
        ]);
    });

    it("Calls that come in pieces are assembled", async () => {
        const piece = (id: string, index: number, text: string) => ({
            tool_calls: [{ id, index, function: { name: "read_file", arguments: text } }],
        });
        const events = await read({
            deltas: [
                piece("aaaaaaaaa", 0, '{"path": "a"}'),
                piece("bbbbbbbbb", 1, '{"pa'),
                piece("bbbbbbbbb", 1, 'th": "b"}'),
            ],
            finishReason: "tool_calls",
        });
        const calls = events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
        expect(calls.map(({ callId, input }) => [callId, input])).to.deep.equal([
            ["aaaaaaaaa", { path: "a" }],
            ["bbbbbbbbb", { path: "b" }],
        ]);
    });

    it("Conversations of other vendors are sent in the order and with the ids that Mistral accepts", async () => {
        const callId = "toolu_01VpEm654HvfMoRcrE3Hgdc6";
        const name = "read.file!";
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
        const messages = server.requests[0]?.body.messages ?? [];
        expect(messages.map(({ role }) => role)).to.deep.equal([
            ...["system", "user", "assistant", "tool", "assistant", "user"],
        ]);
        const id = toCallId(callId, { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 });
        expect(id).to.match(/^[a-f0-9]{9}$/);
        expect(messages[2]?.tool_calls).to.have.nested.property("[0].id", id);
        expect(messages[3]).to.include({ tool_call_id: id, name: "read_file_" });
        expect(JSON.stringify(messages)).not.to.contain("thinking");
        server.assertDone();
    });

    it("An unknown stop reason is named", async () => {
        const events = await read({ ...done, finishReason: "lunch" });
        expect(events.at(-1)).to.deep.equal({ type: "stop", reason: "end", detail: "lunch" });
    });

    it("Model families are recognized, and only models on the vendor's list have prices", async () => {
        server = await startMistralServer({ script: [] });
        const retired = mistralModels.find(({ id }) => id === "mistral-medium-2508");
        expect(retired?.replacedBy).to.equal("mistral-medium-2604");
        const unlisted = describeModel("devstral-2612");
        expect(unlisted).to.include({ id: "devstral-2612" }).and.not.have.property("prices");
        expect(describeModel("gpt-5")).to.equal(undefined);
    });
});
