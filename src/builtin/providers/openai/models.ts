import type { Effort, ModelInfo, Prices } from "../../../plugin/index.js";

/** The name that reasoning keeps, so that no other provider sends it back. */
export const PROVIDER_ID = "openai";

// Read off the vendor's model pages, prompt caching guide and deprecations on this day:
// https://developers.openai.com/api/docs/models
// https://developers.openai.com/api/docs/guides/prompt-caching
// https://developers.openai.com/api/docs/deprecations
// Of gpt-6.1-sol, gpt-6-astra and gpt-6-sol, and of the cache of gpt-6.1-terra and gpt-5.6-terra,
// several resellers' copies of these pages were read, which agree: unconfirmed.
const AS_OF = "2026-11-22";
const MODEL_PAGES = "https://developers.openai.com/api/docs/models";

const MILLION = { contextTokens: 1_050_000, maxOutputTokens: 128_000 } as const;
const CLASSIC = { contextTokens: 400_000, maxOutputTokens: 128_000 } as const;

/** From GPT-5.6 on: a write costs a quarter more than input, a long prompt raises every rate. */
function prices(id: string, input: number, cacheRead: number, output: number): Prices {
    const cacheWrite = input * 1.25;
    return {
        input,
        cacheRead,
        cacheWrite,
        output,
        above: {
            promptTokens: 272_000,
            prices: {
                input: input * 2,
                cacheRead: cacheRead * 2,
                cacheWrite: cacheWrite * 2,
                output: output * 1.5,
                asOf: AS_OF,
                source: `${MODEL_PAGES}/${id}`,
            },
        },
        asOf: AS_OF,
        source: `${MODEL_PAGES}/${id}`,
    };
}

/** Before GPT-5.6: writing to the cache is plain input, whatever the length. */
function classicPrices(id: string, input: number, cacheRead: number, output: number): Prices {
    const source = `${MODEL_PAGES}/${id}`;
    return { input, cacheRead, cacheWrite: input, output, asOf: AS_OF, source };
}

/** Each of its models takes these; what else some take is not offered. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
const THINKS_AND_SEES = { images: true, thinking: "adaptive", efforts: EFFORTS } as const;
const THINKS_ALWAYS = { ...THINKS_AND_SEES, alwaysThinks: true } as const;

const current: readonly ModelInfo[] = [
    {
        id: "gpt-6.2-sol",
        aliases: ["sol", "gpt-6.2"],
        displayName: "GPT-6.2 Sol",
        ...MILLION,
        prices: prices("gpt-6.2-sol", 2, 0.1, 10),
        ...THINKS_ALWAYS,
    },
    {
        id: "gpt-6.2-astra",
        aliases: ["astra"],
        displayName: "GPT-6.2 Astra",
        ...MILLION,
        // No page that could be read gives all of its prices.
        ...THINKS_ALWAYS,
    },
    {
        id: "gpt-6.1-terra",
        aliases: ["terra"],
        displayName: "GPT-6.1 Terra",
        ...MILLION,
        prices: { ...prices("gpt-6.1-terra", 1, 0.05, 5), isUnconfirmed: true },
        ...THINKS_AND_SEES,
    },
    {
        id: "gpt-6-luna",
        aliases: ["luna"],
        displayName: "GPT-6 Luna",
        ...MILLION,
        prices: prices("gpt-6-luna", 0.1, 0.01, 0.5),
        ...THINKS_AND_SEES,
    },
];

const legacy: readonly ModelInfo[] = [
    {
        id: "gpt-6.1-sol",
        aliases: [],
        displayName: "GPT-6.1 Sol",
        ...MILLION,
        prices: { ...prices("gpt-6.1-sol", 2, 0.1, 10), isUnconfirmed: true },
        ...THINKS_ALWAYS,
    },
    {
        id: "gpt-6-astra",
        aliases: [],
        displayName: "GPT-6 Astra",
        ...MILLION,
        prices: { ...prices("gpt-6-astra", 10, 1, 50), isUnconfirmed: true },
        ...THINKS_ALWAYS,
    },
    {
        id: "gpt-6-sol",
        aliases: [],
        displayName: "GPT-6 Sol",
        ...MILLION,
        prices: { ...prices("gpt-6-sol", 2, 0.2, 10), isUnconfirmed: true },
        ...THINKS_AND_SEES,
    },
    {
        // Without prices: those on its page are promised until 2026-11-21 only.
        id: "gpt-5.6-sol",
        aliases: ["gpt-5.6"],
        displayName: "GPT-5.6 Sol",
        ...MILLION,
        ...THINKS_AND_SEES,
    },
    {
        id: "gpt-5.6-terra",
        aliases: [],
        displayName: "GPT-5.6 Terra",
        ...MILLION,
        prices: { ...prices("gpt-5.6-terra", 2, 0.2, 12), isUnconfirmed: true },
        ...THINKS_AND_SEES,
    },
    {
        id: "gpt-5.6-luna",
        aliases: [],
        displayName: "GPT-5.6 Luna",
        ...MILLION,
        prices: prices("gpt-5.6-luna", 0.2, 0.02, 1.2),
        ...THINKS_AND_SEES,
    },
    {
        id: "gpt-5.1",
        aliases: [],
        displayName: "GPT-5.1",
        ...CLASSIC,
        prices: classicPrices("gpt-5.1", 1.25, 0.125, 10),
        ...THINKS_AND_SEES,
        // Which model the vendor puts in its place could not be read yet.
        retiresOn: "2027-04-01",
    },
    {
        id: "gpt-5",
        aliases: [],
        displayName: "GPT-5",
        ...CLASSIC,
        prices: classicPrices("gpt-5", 1.25, 0.125, 10),
        ...THINKS_AND_SEES,
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6.1-sol",
    },
    {
        id: "gpt-5-mini",
        aliases: [],
        displayName: "GPT-5 mini",
        ...CLASSIC,
        prices: classicPrices("gpt-5-mini", 0.25, 0.025, 2),
        ...THINKS_AND_SEES,
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6.1-terra",
    },
    {
        id: "gpt-5-nano",
        aliases: [],
        displayName: "GPT-5 nano",
        ...CLASSIC,
        prices: classicPrices("gpt-5-nano", 0.05, 0.005, 0.4),
        ...THINKS_AND_SEES,
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6-luna",
    },
];

/**
 * Kept for the conversations and the costs that name them. Shut down on 2026-07-23; the notice
 * named GPT-5.6 as their successor, in whose place the vendor's list names GPT-6.1 since.
 */
const retired: readonly ModelInfo[] = [
    {
        id: "gpt-5.1-codex",
        aliases: [],
        displayName: "GPT-5.1-Codex",
        ...CLASSIC,
        prices: classicPrices("gpt-5.1-codex", 1.25, 0.125, 10),
        ...THINKS_ALWAYS,
        replacedBy: "gpt-6.1-sol",
    },
    {
        id: "gpt-5.1-codex-max",
        aliases: [],
        displayName: "GPT-5.1-Codex-Max",
        ...CLASSIC,
        prices: classicPrices("gpt-5.1-codex-max", 1.25, 0.125, 10),
        ...THINKS_ALWAYS,
        replacedBy: "gpt-6.1-sol",
    },
    {
        id: "gpt-5.1-codex-mini",
        aliases: [],
        displayName: "GPT-5.1-Codex-Mini",
        ...CLASSIC,
        prices: classicPrices("gpt-5.1-codex-mini", 0.25, 0.025, 2),
        ...THINKS_ALWAYS,
        replacedBy: "gpt-6.1-terra",
    },
];

/** The vendor's models, the ones to choose first. */
export const openaiModels: readonly ModelInfo[] = [...current, ...legacy, ...retired];
