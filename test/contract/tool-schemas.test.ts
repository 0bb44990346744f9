import { expect } from "chai";
import { toToolSchema } from "../../src/core/registry/tool-schema.js";
import type { PlainTool, ToolSchema } from "../../src/plugin/index.js";
import { collect, failureOf, requestWith } from "../builtin/providers/support.js";
import { KEY, VENDORS } from "../helpers/vendors/vendors.js";

/** What servers and plugins write, and one vendor or another refuses. */
const tool: PlainTool = {
    name: "odd",
    description: "Explains itself. ".repeat(500),
    inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: {
            pair: { type: "array", items: [{ type: "number" }, { type: "string" }] },
            any: { type: "array" },
            more: { $ref: "#/definitions/more" },
            above: { type: "number", minimum: 0, exclusiveMinimum: true },
            wrong: { type: "text", required: true },
        },
        anyOf: [{ required: ["pair"] }, { required: ["more"] }],
        definitions: { more: { properties: { again: { $ref: "#/definitions/more" } } } },
    },
    approval: "none",
    readOnly: true,
    intent: () => "Being odd",
    execute: async () => ({ ok: true, data: {} }),
};

for (const { provider, model, serve, connect } of VENDORS) {
    it(`${provider.id}'s vendor accepts a tool with an odd schema for ${model.id}`, async () => {
        const server = await serve([{ parts: [{ text: "Hi" }] }, { parts: [{ text: "Hi" }] }]);
        try {
            const connection = await connect({ apiKey: KEY, baseURL: server.url });
            const ask = (sent: ToolSchema) =>
                collect(connection, requestWith({ model, tools: [sent] }), undefined, provider.id);
            expect((await ask(toToolSchema(tool))).text).to.equal("Hi");
            const { name, description, inputSchema } = tool;
            expect(await failureOf(ask({ name, description, inputSchema }))).to.include({
                code: "invalid-request",
            });
        } finally {
            await server.close();
        }
    });
}
