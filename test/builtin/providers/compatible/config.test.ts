import { expect } from "chai";
import fc from "fast-check";
import { compatibleProvidersFromConfig } from "../../../../src/builtin/providers/compatible/config.js";

const baseURL = "https://example.org/v1";

describe("Configured providers", () => {
    it("Without configuration there are no providers", () => {
        for (const config of [undefined, null, {}, { selectedModel: "sonnet" }]) {
            expect(compatibleProvidersFromConfig(config)).to.deep.equal({
                providers: [],
                problems: [],
            });
        }
    });

    it("The configured silence limit applies if a timer can run that long", () => {
        for (const [silenceSeconds, silenceMs] of [
            [900, 900_000],
            [1e12, 2 ** 31 - 1],
            // Others than events, which may be rarer, are watched more strictly.
            [60, 600_000],
        ]) {
            const { providers, problems } = compatibleProvidersFromConfig({
                providers: { house: { baseURL, silenceSeconds } },
            });
            expect(problems).to.deep.equal([]);
            expect(providers[0]).to.include({ silenceMs });
        }
    });

    it("A provider and its models have every configured field", () => {
        const { providers, problems } = compatibleProvidersFromConfig({
            providers: {
                openrouter: {
                    baseURL,
                    keyVariable: "OPENROUTER_API_KEY",
                    displayName: "OpenRouter",
                    contextTokens: 128_000,
                    prices: { input: 1, output: 2 },
                    models: [
                        "deepseek/deepseek-v4",
                        {
                            id: "qwen/qwen4",
                            displayName: "Qwen",
                            aliases: ["qwen"],
                            contextTokens: 256_000,
                            maxOutputTokens: 10_000,
                            images: true,
                            thinking: true,
                            prices: {
                                input: 0.1,
                                output: 0.2,
                                cacheRead: 0,
                                asOf: "2026-11-01",
                                source: "https://example.org/prices",
                            },
                        },
                    ],
                },
            },
        });
        expect(problems).to.deep.equal([]);
        const [provider] = providers;
        expect(provider).to.include({
            id: "openrouter",
            displayName: "OpenRouter",
            keyVariable: "OPENROUTER_API_KEY",
        });
        expect(provider?.models).to.deep.equal([
            {
                id: "deepseek/deepseek-v4",
                aliases: [],
                displayName: "deepseek/deepseek-v4",
                contextTokens: 128_000,
                maxOutputTokens: 32_000,
                prices: { input: 1, output: 2, asOf: "unknown", source: "config.json" },
            },
            {
                id: "qwen/qwen4",
                aliases: ["qwen"],
                displayName: "Qwen",
                contextTokens: 256_000,
                maxOutputTokens: 10_000,
                images: true,
                thinking: "adaptive",
                efforts: ["low", "medium", "high"],
                prices: {
                    input: 0.1,
                    output: 0.2,
                    cacheRead: 0,
                    asOf: "2026-11-01",
                    source: "https://example.org/prices",
                },
            },
        ]);
        expect(provider?.describe?.("some/other")).to.include({ contextTokens: 128_000 });
    });

    it("Prices that are not configured are unknown", () => {
        const { providers } = compatibleProvidersFromConfig({
            providers: { house: { baseURL, models: ["a"] } },
        });
        expect(providers[0]?.models[0]).to.not.have.property("prices");
        expect(providers[0]).to.not.have.property("keyVariable");
    });

    for (const [name, settings, complaint] of [
        ["Capital", { baseURL }, "a name has lower-case letters"],
        ["house", "http://localhost", "it must be of type object"],
        ["house", {}, "`baseURL`"],
        ["house", { baseURL: "localhost:80/v1" }, "`baseURL`"],
        ["house", { baseURL: "file:///etc" }, "`baseURL`"],
        ["house", { baseURL, keyVariable: "sk-123" }, "`keyVariable`"],
        ["house", { baseURL, keyHeader: "api key" }, "`keyHeader`"],
        ["house", { baseURL, contextTokens: -1 }, "`contextTokens`"],
        ["house", { baseURL, silenceSeconds: 0 }, "`silenceSeconds`"],
        ["house", { baseURL, models: "a" }, "`models` must be of type array"],
        ["house", { baseURL, models: ["a", 7] }, "`models[1]`"],
        ["house", { baseURL, models: [{ id: "" }] }, "`models[0].id`"],
        ["house", { baseURL, models: [{ id: "a", aliases: "b" }] }, "`models[0].aliases`"],
        ["house", { baseURL, prices: { input: 1 } }, "`prices.output`"],
        ["house", { baseURL, prices: { input: "1", output: 2 } }, "`prices.input`"],
        [
            "house",
            { baseURL, models: [{ id: "a", prices: { input: 1, output: -2 } }] },
            "`models[0].prices.output`",
        ],
    ] as const) {
        it(`Invalid settings are dropped with a sentence: ${JSON.stringify(settings)} as ${name}`, () => {
            const { providers, problems } = compatibleProvidersFromConfig({
                providers: { [name]: settings, good: { baseURL } },
            });
            expect(providers.map(({ id }) => id)).to.deep.equal(["good"]);
            expect(problems).to.have.length(1);
            expect(problems[0]).to.include(`provider \`${name}\``).and.include(complaint);
        });
    }

    it("Reading the configuration never throws, whatever the file holds", () => {
        fc.assert(
            fc.property(fc.jsonValue(), fc.jsonValue(), (settings, config) => {
                compatibleProvidersFromConfig(config);
                const found = compatibleProvidersFromConfig({ providers: { house: settings } });
                expect(found.providers.length + found.problems.length).to.equal(1);
            })
        );
    });
});
