import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { expect } from "chai";
import {
    type ChatServer,
    startChatServer,
} from "../../../helpers/vendors/chat-completions-server.js";
import { createCompatibleProvider } from "../../../../src/builtin/providers/compatible/create-provider.js";
import type { CompatibleDefinition } from "../../../../src/builtin/providers/compatible/definition.js";
import { failureOf } from "../support.js";
import { definition } from "./support.js";

describe("Model discovery", () => {
    let server: ChatServer | undefined;

    afterEach(async () => {
        await server?.close();
        server = undefined;
    });

    async function discoverFrom(models: unknown, changes: Partial<CompatibleDefinition> = {}) {
        server = await startChatServer({ script: [], models });
        const provider = createCompatibleProvider({ ...definition, ...changes });
        return (await provider.discover?.({ baseURL: server.url })) ?? [];
    }

    it("Discovered models have the limits that the server reports", async () => {
        const found = await discoverFrom({
            object: "list",
            data: [
                { id: "llama3:8b", object: "model", owned_by: "library" },
                { id: "vllm", max_model_len: 40_960 },
                { id: "openrouter", context_length: 200_000 },
                { id: "llama.cpp", meta: { n_ctx: 8_192 } },
            ],
        });
        expect(found.map(({ id, contextTokens }) => [id, contextTokens])).to.deep.equal([
            ["llama3:8b", 32_768],
            ["vllm", 40_960],
            ["openrouter", 200_000],
            ["llama.cpp", 8_192],
        ]);
        for (const { maxOutputTokens, contextTokens } of found) {
            expect(maxOutputTokens).to.be.within(1, contextTokens / 4);
        }
    });

    it("Names, limits, prices and vision come from a router's own list", async () => {
        const [model, free] = await discoverFrom({
            data: [
                {
                    id: "acme/large",
                    name: "Acme: Large",
                    context_length: 200_000,
                    top_provider: { max_completion_tokens: 64_000 },
                    architecture: { input_modalities: ["text", "image"] },
                    pricing: {
                        prompt: "0.0000003",
                        completion: "0.000015",
                        input_cache_read: "0.00000003",
                        input_cache_write: "0.000000375",
                    },
                },
                {
                    id: "acme/free",
                    context_length: 8_192,
                    pricing: { prompt: "0", completion: "0" },
                },
            ],
        });
        const { prices, ...facts } = model ?? {};
        expect(facts).to.deep.include({
            displayName: "Acme: Large",
            contextTokens: 200_000,
            maxOutputTokens: 64_000,
            images: true,
        });
        expect(prices).to.deep.include({
            ...{ input: 0.3, output: 15, cacheRead: 0.03, cacheWrite: 0.375 },
            source: `${server?.url}/models`,
        });
        expect(prices?.asOf).to.match(/^\d{4}-\d\d-\d\d$/);
        expect(free?.prices).to.deep.include({ input: 0, output: 0 });
    });

    for (const pricing of [
        { prompt: "-1", completion: "-1" },
        { prompt: "0.000003" },
        { prompt: "3", completion: "15" },
        { prompt: "", completion: "" },
        { prompt: "cheap", completion: null },
    ]) {
        it(`An impossible price counts as unknown: ${JSON.stringify(pricing)}`, async () => {
            const [model] = await discoverFrom({ data: [{ id: "a", pricing }] });
            expect(model).to.not.have.property("prices");
        });
    }

    it("Configured fields override discovered ones", async () => {
        const prices = { input: 1, output: 2, asOf: "2026-11-22", source: "me" };
        const [first, second] = await discoverFrom(
            { data: [{ id: "a", context_length: 1_000 }, { id: "b" }] },
            {
                models: [{ id: "a", contextTokens: 64_000, images: true }],
                prices,
                contextTokens: 9_000,
            }
        );
        expect(first).to.deep.include({ id: "a", contextTokens: 64_000, images: true, prices });
        expect(second).to.deep.include({ id: "b", contextTokens: 9_000, prices });
    });

    it("A server may offer no models", async () => {
        expect(await discoverFrom({ data: [] })).to.deep.equal([]);
    });

    it("Entries without an id, or with one of megabytes, are skipped", async () => {
        const long = { id: "x".repeat(2_000_000) };
        const data = [null, {}, { id: 7 }, { id: "" }, long, { id: "a" }];
        const found = await discoverFrom({ data });
        expect(found.map(({ id }) => id)).to.deep.equal(["a"]);
    });

    for (const [name, answer] of [
        ["no JSON", "<html>"],
        ["no list", { models: [] }],
    ] as const) {
        it(`Models stay unknown when the answer is ${name}`, async () => {
            expect((await failureOf(discoverFrom(answer))).code).to.equal("incomplete-stream");
        });
    }

    it("Models stay unknown when the server has no list", async () => {
        expect((await failureOf(discoverFrom(undefined))).code).to.equal("invalid-request");
    });

    it("Models stay unknown when no server listens", async () => {
        const taken = net.createServer().listen(0, "127.0.0.1");
        await once(taken, "listening");
        const { port } = taken.address() as AddressInfo;
        taken.close();
        await once(taken, "close");
        const provider = createCompatibleProvider(definition);
        const baseURL = `http://127.0.0.1:${port}/v1`;
        const error = await failureOf(Promise.resolve(provider.discover?.({ baseURL })));
        expect(error.code).to.equal("network");
        expect(error.message).to.include("ECONNREFUSED");
        expect(error.nextSteps[0]).to.include("Is the server at");
    });
});
