import { expect } from "chai";
import { builtin } from "../../src/builtin/index.js";
import { anthropic } from "../../src/builtin/providers/anthropic/index.js";
import { offline } from "../../src/builtin/providers/offline/index.js";
import { checkModels, checkProvider, sampleRequest } from "../../src/plugin-testing/index.js";
import { reply, startMessagesServer, text, toolUse } from "../helpers/messages-server.js";

const readFile = {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

describe("North's own providers", () => {
    for (const provider of builtin.providers ?? []) {
        it(`${provider.id} describes its models as the contract wants it`, () => {
            checkModels(provider);
        });
    }

    it("anthropic keeps to the contract of providers", async () => {
        const server = await startMessagesServer({
            script: [
                reply(text("Hello.")),
                reply(text("Let me see."), toolUse("toolu_1", "read_file", { path: "a" })),
            ],
        });
        try {
            const requests = [
                sampleRequest(anthropic),
                sampleRequest(anthropic, { tools: [readFile] }),
            ];
            const connection = { apiKey: "a-key", baseURL: server.url };
            const replies = await checkProvider(anthropic, { connection, requests });
            expect(replies[1]?.at(-1)).to.deep.equal({ type: "stop", reason: "tool-calls" });
            server.assertDone();
        } finally {
            await server.close();
        }
    });

    it("offline keeps to the contract of providers", async () => {
        await checkProvider(offline, { connection: {}, requests: [sampleRequest(offline)] });
    });
});
