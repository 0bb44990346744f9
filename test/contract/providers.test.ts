import { expect } from "chai";
import { builtin } from "../../src/builtin/index.js";
import { offline } from "../../src/builtin/providers/offline/index.js";
import { checkModels, checkProvider, sampleRequest } from "../../src/plugin-testing/index.js";
import { KEY, VENDORS } from "../helpers/vendors/vendors.js";

const readFile = {
    name: "read_file",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

describe("Built-in providers", () => {
    for (const provider of builtin.providers ?? []) {
        it(`${provider.id} describes its models as the contract requires`, () => {
            checkModels(provider);
        });
    }

    for (const { provider, model, serve } of VENDORS) {
        it(`${provider.id} satisfies the provider contract with ${model.id}`, async () => {
            const server = await serve([
                { parts: [{ text: "Hello." }] },
                {
                    parts: [
                        { thought: "Which?", proof: "c2lnbmVk" },
                        { text: "Let me see." },
                        { callId: "call00001", name: "read_file", input: { path: "a" } },
                    ],
                },
            ]);
            try {
                const requests = [
                    sampleRequest(provider, { model }),
                    sampleRequest(provider, { model, tools: [readFile] }),
                ];
                const connection = { apiKey: KEY, baseURL: server.url };
                const replies = await checkProvider(provider, { connection, requests });
                expect(replies[1]?.at(-1)).to.deep.equal({ type: "stop", reason: "tool-calls" });
                server.assertDone();
            } finally {
                await server.close();
            }
        });
    }

    it("The offline model satisfies the provider contract", async () => {
        await checkProvider(offline);
    });
});
