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
        const long = { id: "x".repeat(8_000_000) };
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
