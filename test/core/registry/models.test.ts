import { expect } from "chai";
import type { ModelInfo, Provider } from "../../../src/plugin/index.js";
import { defaultModel, resolveModel } from "../../../src/core/registry/models.js";

function model(id: string, extra: Partial<ModelInfo> = {}): ModelInfo {
    return { id, aliases: [], displayName: id, contextTokens: 1, maxOutputTokens: 1, ...extra };
}

function provider(
    id: string,
    models: readonly ModelInfo[],
    extra: Partial<Provider> = {}
): Provider {
    return {
        id,
        displayName: id,
        models,
        connect: async () => {
            throw new Error("not needed");
        },
        ...extra,
    };
}

const providers = [
    provider("anthropic", [
        model("claude-sonnet-5-5", { aliases: ["sonnet", "sonnet-5.5"] }),
        model("claude-old", { replacedBy: "claude-sonnet-5-5" }),
    ]),
    provider("openai", [model("gpt-5.1")], {
        describe: (id) => (id.startsWith("gpt-") ? model(id) : undefined),
    }),
];

describe("finding a model", () => {
    it("takes aliases, ids and provider/id, dots and dashes being the same", () => {
        for (const name of ["sonnet", "SONNET", "sonnet-5-5", "claude-sonnet-5.5", "gpt-5-1"]) {
            expect(resolveModel(name, providers).model.id, name).to.be.a("string");
        }
        expect(resolveModel("openai/gpt-5.1", providers).provider.id).to.equal("openai");
    });

    it("goes on to the successor of a retired model and says so", () => {
        const { model: found, notice } = resolveModel("claude-old", providers);
        expect(found.id).to.equal("claude-sonnet-5-5");
        expect(notice).to.contain("retired");
    });

    it("takes an unknown id of a known family with a warning", () => {
        const { model: found, notice } = resolveModel("gpt-9", providers);
        expect(found.id).to.equal("gpt-9");
        expect(notice).to.contain("not known");
    });

    it("names near models for an unknown one", () => {
        expect(() => resolveModel("sonett", providers)).to.throw('no model called "sonett"');
        try {
            resolveModel("sonnet-99", providers);
        } catch (error) {
            expect(JSON.stringify(error)).to.contain("sonnet");
        }
    });

    it("begins with the first provider that has a key, or with none", async () => {
        const only = (id: string) => async (candidate: Provider) => candidate.id === id;
        expect((await defaultModel(providers, only("openai")))?.model.id).to.equal("gpt-5.1");
        expect(await defaultModel(providers, async () => false)).to.equal(undefined);
        const all = await defaultModel(providers, async () => true);
        expect(all?.model.id).to.equal("claude-sonnet-5-5");
    });
});
