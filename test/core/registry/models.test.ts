import { expect } from "chai";
import type { ModelInfo, Provider } from "../../../src/plugin/index.js";
import { anthropic } from "../../../src/builtin/providers/anthropic/index.js";
import { openai } from "../../../src/builtin/providers/openai/index.js";
import { google } from "../../../plugins/north-provider-google/src/provider.js";
import { mistral } from "../../../plugins/north-provider-mistral/src/provider.js";
import {
    defaultModel,
    isRetired,
    nameOf,
    resolveModel,
} from "../../../src/core/registry/models.js";

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

        it("From its retirement date on a model resolves to its successor", () => {
            expect(found("2026-11-30").model.id).to.equal("claude-next");
            expect(found("2026-11-30").notice).to.contain("retired");
        });

        it("A retired model is not the default, and the default needs no notice", async () => {
            const marked = [
                provider(
                    "acme",
                    [
                        model("old", { isDefault: true, retiresOn: "2026-11-30" }),
                        model("older", { isLegacy: true }),
                        model("new"),
                    ],
                    { keyVariable: "ACME_API_KEY" }
                ),
            ];
            const start = await defaultModel(marked, async () => true, on("2026-12-24"));
            expect(start?.model.id).to.equal("new");
            expect(start?.notice).to.equal(undefined);
            const before = await defaultModel(marked, async () => true, on("2026-11-29"));
            expect(before?.model.id).to.equal("old");
        });
    });

    it("An unknown model's error proposes names near it, each once", () => {
        const luna = model("gpt-6-luna", { aliases: ["luna"] });
        const twice = [...providers, provider("api", [luna]), provider("plan", [luna])];
        for (const [mistyped, proposed] of [
            ["lunar", "luna"],
            ["luan", "luna"],
            ["sonnet-99", "sonnet"],
        ] as const) {
            expect(() => resolveModel(mistyped, twice))
                .to.throw()
                .with.property("nextSteps")
                .that.includes(`Did you mean ${proposed}?`);
        }
    });

    describe("Without a choice", () => {
        const keyVariable = "SOME_API_KEY";
        const own = provider("house", [model("listed")], { isConfigured: true });
        const all = [
            provider("keyless", [model("nobody-chose-me")]),
            provider("first", [model("one"), model("two", { isDefault: true })], { keyVariable }),
            provider("unlisted", [], { keyVariable }),
            provider("strange", [model("three"), model("four")], { keyVariable }),
            own,
        ];
        const only =
            (...ids: string[]) =>
            async ({ id }: Provider) =>
                ids.includes(id);

        for (const [name, hasKey, expected] of [
            ["the first provider's with a key", async () => true, "first/two"],
            ["a plugin's, if only it has a key", only("strange", "keyless"), "strange/three"],
            ["the first listed one of a server in config.json", only("house"), "house/listed"],
            ["none, if no provider has a key", only("keyless"), undefined],
        ] as const) {
            it(`The default model is ${name}`, async () => {
                const found = await defaultModel(all, hasKey);
                expect(found && nameOf(found)).to.equal(expected);
            });
        }

        for (const vendor of [anthropic, openai, mistral, google]) {
            it(`${vendor.displayName} marks one current model as its default`, () => {
                const marked = vendor.models.filter(({ isDefault }) => isDefault);
                expect(marked).to.have.length(1);
                expect(marked.filter((each) => isRetired(each) || each.isLegacy)).to.be.empty;
            });
        }
    });
});
