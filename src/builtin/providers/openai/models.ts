import type { Effort, ModelInfo, Prices } from "../../../plugin/index.js";

/** The name that reasoning keeps, so that no other provider sends it back. */
export const PROVIDER_ID = "openai";

// Read off the vendor's model pages, prompt caching guide and deprecations on this day:
// https://developers.openai.com/api/docs/models
// https://developers.openai.com/api/docs/guides/prompt-caching
// https://developers.openai.com/api/docs/deprecations
// Of gpt-6.2-astra, gpt-6.1-sol, gpt-6-astra and gpt-6-sol, and of the cache of gpt-6.1-terra and gpt-5.6-terra,
// several resellers' copies of these pages were read, which agree: unconfirmed.
const AS_OF = "2026-11-22";
const MODEL_PAGES = "https://developers.openai.com/api/docs/models";

/** US dollars a million tokens. */
interface Rates {
    readonly input: number;
    readonly cacheRead: number;
    readonly output: number;
    readonly isUnconfirmed?: true;
}

function rates(input: number, cacheRead: number, output: number): Rates {
    return { input, cacheRead, output };
}

function unconfirmed(input: number, cacheRead: number, output: number): Rates {
    return { ...rates(input, cacheRead, output), isUnconfirmed: true };
}

type PricesOf = (source: string, rates: Rates) => Prices;

/** From GPT-5.6 on: a write costs a quarter more than input, a long prompt raises every rate. */
const pricesByLength: PricesOf = (source, { input, cacheRead, output, ...mark }) => {
    const cacheWrite = input * 1.25;
    const long = {
        input: input * 2,
        cacheRead: cacheRead * 2,
        cacheWrite: cacheWrite * 2,
        output: output * 1.5,
    };
    return {
        ...{ input, cacheRead, cacheWrite, output, asOf: AS_OF, source, ...mark },
        above: { promptTokens: 272_000, prices: { ...long, asOf: AS_OF, source } },
    };
};

/** Before GPT-5.6: writing to the cache is plain input, whatever the length. */
const classicPrices: PricesOf = (source, rates) => ({
    ...rates,
    cacheWrite: rates.input,
    asOf: AS_OF,
    source,
});

/** Each of its models takes these; what else some take is not offered. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
const THINKS_AND_SEES = {
    images: true,
    documents: true,
    thinking: "adaptive",
    efforts: EFFORTS,
} as const;
const FOR_SUB_AGENTS = { ...THINKS_AND_SEES, forSubAgents: true } as const;
const THINKS_ALWAYS = { ...THINKS_AND_SEES, alwaysThinks: true } as const;

type Retirement = Pick<ModelInfo, "retiresOn" | "replacedBy">;

function family(limits: Pick<ModelInfo, "contextTokens" | "maxOutputTokens">, pricesOf: PricesOf) {
    return (
        id: string,
        displayName: string,
        aliases: readonly string[],
        traits: Partial<ModelInfo>,
        rates?: Rates,
        retirement: Retirement = {}
    ): ModelInfo => {
        const prices = rates && { prices: pricesOf(`${MODEL_PAGES}/${id}`, rates) };
        return { id, aliases, displayName, ...limits, ...prices, ...traits, ...retirement };
    };
}

const million = family({ contextTokens: 1_050_000, maxOutputTokens: 128_000 }, pricesByLength);
const classic = family({ contextTokens: 400_000, maxOutputTokens: 128_000 }, classicPrices);

const current: readonly ModelInfo[] = [
    million("gpt-6.2-sol", "GPT-6.2 Sol", ["sol", "gpt-6.2"], THINKS_ALWAYS, rates(2, 0.1, 10)),
    million("gpt-6.2-astra", "GPT-6.2 Astra", ["astra"], THINKS_ALWAYS, unconfirmed(8, 0.4, 40)),
    million("gpt-6.1-terra", "GPT-6.1 Terra", ["terra"], THINKS_AND_SEES, unconfirmed(1, 0.05, 5)),
    million("gpt-6-luna", "GPT-6 Luna", ["luna"], FOR_SUB_AGENTS, rates(0.1, 0.01, 0.5)),
];

const legacy: readonly ModelInfo[] = [
    million("gpt-6.1-sol", "GPT-6.1 Sol", [], THINKS_ALWAYS, unconfirmed(2, 0.1, 10)),
    million("gpt-6-astra", "GPT-6 Astra", [], THINKS_ALWAYS, unconfirmed(10, 1, 50)),
    million("gpt-6-sol", "GPT-6 Sol", [], THINKS_AND_SEES, unconfirmed(2, 0.2, 10)),
    // Without prices: those on its page are promised until 2026-11-21 only.
    million("gpt-5.6-sol", "GPT-5.6 Sol", ["gpt-5.6"], THINKS_AND_SEES),
    million("gpt-5.6-terra", "GPT-5.6 Terra", [], THINKS_AND_SEES, unconfirmed(2, 0.2, 12)),
    million("gpt-5.6-luna", "GPT-5.6 Luna", [], THINKS_AND_SEES, rates(0.2, 0.02, 1.2)),
    classic("gpt-5.1", "GPT-5.1", [], THINKS_AND_SEES, rates(1.25, 0.125, 10), {
        // Which model the vendor puts in its place could not be read yet.
        retiresOn: "2027-04-01",
    }),
    classic("gpt-5", "GPT-5", [], THINKS_AND_SEES, rates(1.25, 0.125, 10), {
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6.1-sol",
    }),
    classic("gpt-5-mini", "GPT-5 mini", [], THINKS_AND_SEES, rates(0.25, 0.025, 2), {
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6.1-terra",
    }),
    classic("gpt-5-nano", "GPT-5 nano", [], THINKS_AND_SEES, rates(0.05, 0.005, 0.4), {
        retiresOn: "2026-12-11",
        replacedBy: "gpt-6-luna",
    }),
];

/**
 * Kept for the conversations and the costs that name them. Shut down on 2026-07-23; the notice
 * named GPT-5.6 as their successor, in whose place the vendor's list names GPT-6.1 since.
 */
const retired: readonly ModelInfo[] = [
    classic("gpt-5.1-codex", "GPT-5.1-Codex", [], THINKS_ALWAYS, rates(1.25, 0.125, 10), {
        replacedBy: "gpt-6.1-sol",
    }),
    classic("gpt-5.1-codex-max", "GPT-5.1-Codex-Max", [], THINKS_ALWAYS, rates(1.25, 0.125, 10), {
        replacedBy: "gpt-6.1-sol",
    }),
    classic("gpt-5.1-codex-mini", "GPT-5.1-Codex-Mini", [], THINKS_ALWAYS, rates(0.25, 0.025, 2), {
        replacedBy: "gpt-6.1-terra",
    }),
];

export const openaiModels: readonly ModelInfo[] = [
    ...current,
    ...legacy.map((each) => ({ ...each, isLegacy: true })),
    ...retired,
];
