import type { Effort, ModelInfo, Prices } from "../../../plugin/index.js";

/** Marks reasoning as ours, so that no other provider sends it back. */
export const PROVIDER_ID = "openai";

// Sources, as of this day: the vendor's model pages, prompt caching guide and deprecations:
// https://developers.openai.com/api/docs/models
// https://developers.openai.com/api/docs/guides/prompt-caching
// https://developers.openai.com/api/docs/deprecations
// https://developers.openai.com/api/docs/guides/flex-processing (as of 2026-11-27): being wound
// down; no model from GPT-6.2 on has it. The pages of gpt-6-luna and gpt-6-sol say half the rates.
// Unconfirmed (from several resellers' copies of these pages, which agree): gpt-6.2-astra,
// gpt-6.1-sol, gpt-6-astra and gpt-6-sol; cache prices of gpt-6.1-terra and gpt-5.6-terra.
const AS_OF = "2026-11-22";
const MODEL_PAGES = "https://developers.openai.com/api/docs/models";

/** US dollars per million tokens. */
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

/** Flex costs half of each rate, at any length. */
function halved({ input, cacheRead, output, ...mark }: Rates): Rates {
    return { ...rates(input / 2, cacheRead / 2, output / 2), ...mark };
}

/** US dollars, for all models: https://developers.openai.com/api/docs/pricing */
const WEB_SEARCH = 0.01;

type PricesOf = (source: string, rates: Rates) => Prices;

/** From GPT-5.6 on: cache writes cost 25% more than input, and long prompts raise every rate. */
const pricesByLength: PricesOf = (source, { input, cacheRead, output, ...mark }) => {
    const cacheWrite = input * 1.25;
    const long = {
        input: input * 2,
        cacheRead: cacheRead * 2,
        cacheWrite: cacheWrite * 2,
        output: output * 1.5,
    };
    return {
        ...{ input, cacheRead, cacheWrite, output, webSearch: WEB_SEARCH },
        ...{ asOf: AS_OF, source, ...mark },
        above: { promptTokens: 272_000, prices: { ...long, asOf: AS_OF, source, ...mark } },
    };
};

/** Before GPT-5.6: cache writes are billed as input, at any length. */
const classicPrices: PricesOf = (source, rates) => ({
    ...rates,
    cacheWrite: rates.input,
    webSearch: WEB_SEARCH,
    asOf: AS_OF,
    source,
});

/** Accepted by every model here. */
export const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
/** What a model has beyond its family's limits; later ones win. */
type Traits = Partial<ModelInfo> & { readonly hasFlex?: true };
const THINKS: Traits = { images: true, documents: true, webSearch: true, thinking: "adaptive" };
const ALWAYS: Traits = { ...THINKS, alwaysThinks: true };
const DEFAULT: Traits = { ...ALWAYS, isDefault: true };
const HAS_FLEX: Traits = { ...THINKS, hasFlex: true };
const FOR_SUB_AGENTS: Traits = { ...HAS_FLEX, forSubAgents: true };
const named = (...aliases: readonly string[]): Traits => ({ aliases });
const BY_SOL: Traits = { replacedBy: "gpt-6.1-sol" };
const BY_TERRA: Traits = { replacedBy: "gpt-6.1-terra" };
const BY_LUNA: Traits = { replacedBy: "gpt-6-luna" };

function family(
    limits: Pick<ModelInfo, "contextTokens" | "maxOutputTokens" | "efforts">,
    pricesOf: PricesOf
) {
    return (
        id: string,
        displayName: string,
        rates: Rates | undefined,
        ...all: readonly Traits[]
    ): ModelInfo => {
        const { hasFlex, ...traits }: Traits = Object.assign({}, ...all);
        const page = `${MODEL_PAGES}/${id}`;
        const prices = rates && {
            ...pricesOf(page, rates),
            ...(hasFlex && { flex: pricesOf(page, halved(rates)) }),
        };
        return { id, aliases: [], displayName, ...traits, ...limits, ...(prices && { prices }) };
    };
}

/** From GPT-5.6 on, per the model pages. */
const million = family(
    {
        ...{ contextTokens: 1_050_000, maxOutputTokens: 128_000 },
        efforts: [...EFFORTS, "xhigh", "max"],
    },
    pricesByLength
);
const classic = family(
    { contextTokens: 400_000, maxOutputTokens: 128_000, efforts: EFFORTS },
    classicPrices
);

const current: readonly ModelInfo[] = [
    million("gpt-6.2-sol", "GPT-6.2 Sol", rates(2, 0.1, 10), DEFAULT, named("sol", "gpt-6.2")),
    million("gpt-6.2-astra", "GPT-6.2 Astra", unconfirmed(8, 0.4, 40), ALWAYS, named("astra")),
    million("gpt-6.1-terra", "GPT-6.1 Terra", unconfirmed(1, 0.05, 5), HAS_FLEX, named("terra")),
    million("gpt-6-luna", "GPT-6 Luna", rates(0.1, 0.01, 0.5), FOR_SUB_AGENTS, named("luna")),
];

const GPT_5 = rates(1.25, 0.125, 10);
const GPT_5_MINI = rates(0.25, 0.025, 2);
const legacy: readonly ModelInfo[] = [
    million("gpt-6.1-sol", "GPT-6.1 Sol", unconfirmed(2, 0.1, 10), { ...ALWAYS, hasFlex: true }),
    million("gpt-6-astra", "GPT-6 Astra", unconfirmed(10, 1, 50), { ...ALWAYS, hasFlex: true }),
    million("gpt-6-sol", "GPT-6 Sol", unconfirmed(2, 0.2, 10), HAS_FLEX),
    // No prices: those on its page were guaranteed only until 2026-11-21.
    million("gpt-5.6-sol", "GPT-5.6 Sol", undefined, THINKS, named("gpt-5.6")),
    million("gpt-5.6-terra", "GPT-5.6 Terra", unconfirmed(2, 0.2, 12), THINKS),
    million("gpt-5.6-luna", "GPT-5.6 Luna", rates(0.2, 0.02, 1.2), THINKS),
    // The vendor's replacement is not known yet.
    { ...classic("gpt-5.1", "GPT-5.1", GPT_5, THINKS), retiresOn: "2027-04-01" },
    ...[
        classic("gpt-5", "GPT-5", GPT_5, THINKS, BY_SOL),
        classic("gpt-5-mini", "GPT-5 mini", GPT_5_MINI, THINKS, BY_TERRA),
        classic("gpt-5-nano", "GPT-5 nano", rates(0.05, 0.005, 0.4), THINKS, BY_LUNA),
    ].map((each) => ({ ...each, retiresOn: "2026-12-11" })),
];

/**
 * Kept for conversations and costs that refer to them. Shut down on 2026-07-23; the notice named
 * GPT-5.6 as successor, but the vendor's list now names GPT-6.1.
 */
const retired: readonly ModelInfo[] = [
    classic("gpt-5.1-codex", "GPT-5.1-Codex", GPT_5, ALWAYS, BY_SOL),
    classic("gpt-5.1-codex-max", "GPT-5.1-Codex-Max", GPT_5, ALWAYS, BY_SOL),
    classic("gpt-5.1-codex-mini", "GPT-5.1-Codex-Mini", GPT_5_MINI, ALWAYS, BY_TERRA),
];

export const openaiModels: readonly ModelInfo[] = [
    ...current,
    ...legacy.map((each) => ({ ...each, isLegacy: true })),
    ...retired,
];
