import { expect } from "chai";
import type { ModelInfo, Provider } from "../../../src/plugin/index.js";
import { defaultModel, nameOf, resolveModel } from "../../../src/core/registry/models.js";

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

describe("Finding a model", () => {
    it("Aliases, ids and provider/id are accepted, and dots equal dashes", () => {
        for (const name of ["sonnet", "SONNET", "sonnet-5-5", "claude-sonnet-5.5", "gpt-5-1"]) {
            expect(resolveModel(name, providers).model.id, name).to.be.a("string");
        }

        expect(resolveModel("openai/gpt-5.1", providers).provider.id).to.equal("openai");
    });

    it("A retired model resolves to its successor with a note", () => {
        const { model: found, notice } = resolveModel("claude-old", providers);
        expect(found.id).to.equal("claude-sonnet-5-5");
        expect(notice).to.contain("retired");
    });

    it("An unknown id of a known family is accepted with a warning", () => {
        const { model: found, notice } = resolveModel("gpt-9", providers);
        expect(found.id).to.equal("gpt-9");
        expect(notice).to.contain("price is not known");
    });

    it("A name ending in -thinking resolves to the thinking model", () => {
        const thinking = { aliases: ["deep"], thinking: "adaptive" } as const;
        const all = [
            provider("vendor", [model("deep-1", thinking), model("flat-1")], {
                describe: (id) => (id.startsWith("deep-") ? model(id, thinking) : undefined),
            }),
            provider("server", [], { describesAnyModel: true, describe: (id) => model(id) }),
        ];
        for (const name of ["deep-thinking", "vendor/deep-1-thinking", "Deep.Thinking"]) {
            const found = resolveModel(name, all);
            expect([found.model.id, found.thinks, nameOf(found)], name).to.deep.equal([
                "deep-1",
                true,
                "vendor/deep-1-thinking",
            ]);
        }
        expect(resolveModel("deep", all).thinks).to.equal(false);
        expect(resolveModel("deep-2-thinking", all)).to.deep.include({ thinks: true });
        // Its maker calls it so.
        const kimi = resolveModel("server/kimi-thinking", all);
        expect([kimi.model.id, kimi.thinks]).to.deep.equal(["kimi-thinking", false]);
        expect(() => resolveModel("flat-1-thinking", all)).to.throw("no model called");
    });

    describe("Model retirement", () => {
        const leaving = [
            provider("anthropic", [
                model("claude-sonnet-5-5", { retiresOn: "2026-11-30", replacedBy: "claude-next" }),
                model("claude-next", { thinking: "adaptive" }),
            ]),
        ];
        const on = (day: string) => Date.parse(`${day}T12:00:00Z`);
        const found = (day: string) => resolveModel("claude-sonnet-5-5", leaving, on(day));

        it("A model that retires in the far future is used without a warning", () => {
            expect(found("2026-09-01")).to.deep.include({ model: leaving[0]?.models[0] });
            expect(found("2026-09-01").notice).to.equal(undefined);
        });

        it("A model in its last weeks is used with a warning", () => {
            const { model: used, notice } = found("2026-11-29");
            expect(used.id).to.equal("claude-sonnet-5-5");
            expect(notice).to.contain("2026-11-30").and.to.contain("claude-next");
        });

        it("From its retirement date on a model resolves to its successor, also as the default", async () => {
            expect(found("2026-11-30").model.id).to.equal("claude-next");
            const start = await defaultModel(leaving, async () => true, on("2026-12-24"));
            expect(start?.model.id).to.equal("claude-next");
            expect(start?.notice).to.contain("retired");
        });
    });

    it("An unknown model's error names similar models", () => {
        expect(() => resolveModel("sonett", providers)).to.throw('no model called "sonett"');
        try {
            resolveModel("sonnet-99", providers);
        } catch (error) {
            expect(JSON.stringify(error)).to.contain("sonnet");
        }
    });

    it("The default is the first provider with a key, or none", async () => {
        const only = (id: string) => async (candidate: Provider) => candidate.id === id;
        expect((await defaultModel(providers, only("openai")))?.model.id).to.equal("gpt-5.1");
        expect(await defaultModel(providers, async () => false)).to.equal(undefined);
        const all = await defaultModel(providers, async () => true);
        expect(all?.model.id).to.equal("claude-sonnet-5-5");
    });
});
