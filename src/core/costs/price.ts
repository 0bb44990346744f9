import type { ModelInfo, Prices, Tier, Usage } from "../../plugin/index.js";
import type { CostRecord } from "./ledger.js";

export const NO_USAGE: Required<Usage> = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWriteLongTokens: 0,
    outputTokens: 0,
    webSearches: 0,
};

const PER_MILLION = 1_000_000;

/** Merges usage reports: each field is the latest total. */
export function mergedUsage(before: Usage, later: Usage): Usage {
    const reported = Object.entries(later).filter(([, tokens]) => typeof tokens === "number");
    return { ...before, ...Object.fromEntries(reported) };
}

/** The model at the prices of a tier. */
export function inTier({ prices, ...model }: ModelInfo, tier: Tier | undefined): ModelInfo {
    const charged = tier === undefined ? prices : prices?.flex;
    return { ...model, ...(charged && { prices: charged }) };
}

/** All prompt tokens, however they were billed. */
export function promptTokens(usage: Usage): number {
    return (
        (usage.inputTokens ?? 0) +
        (usage.cacheReadTokens ?? 0) +
        (usage.cacheWriteTokens ?? 0) +
        (usage.cacheWriteLongTokens ?? 0)
    );
}

/** The size of the next request: everything the model has processed and produced. */
export function contextTokensOf(usage: Usage): number {
    return promptTokens(usage) + (usage.outputTokens ?? 0);
}

/**
 * US dollars of one request; `null` if a price it needs is unknown, never 0 instead. The length of the whole
 * prompt selects the price band for every token of the request. A missing cache price falls back to the next more
 * expensive kind: a long write costs like a write, writes and reads like plain input. So a gap never makes a
 * request look cheaper than its published prices.
 */
export function priceOf(usage: Usage, model: ModelInfo): number | null {
    if (model.prices === undefined) return null;
    const { webSearches = 0 } = usage;
    const { webSearch = webSearches > 0 ? null : 0 } = model.prices;
    if (webSearch === null) return null;
    const rates = ratesFor(promptTokens(usage), model.prices);
    const cacheWrite = rates.cacheWrite ?? rates.input;
    const microUsd =
        (usage.inputTokens ?? 0) * rates.input +
        (usage.outputTokens ?? 0) * rates.output +
        (usage.cacheReadTokens ?? 0) * (rates.cacheRead ?? rates.input) +
        (usage.cacheWriteTokens ?? 0) * cacheWrite +
        (usage.cacheWriteLongTokens ?? 0) * (rates.cacheWriteLong ?? cacheWrite);
    return microUsd / PER_MILLION + webSearches * webSearch;
}

/** The price fields of a request's cost record. */
export function billOf(
    usage: Usage,
    model: ModelInfo
): Pick<CostRecord, "costUsd" | "isUnconfirmed"> {
    const { prices } = model;
    const isUnconfirmed = prices && ratesFor(promptTokens(usage), prices).isUnconfirmed;
    return { costUsd: priceOf(usage, model), ...(isUnconfirmed ? { isUnconfirmed } : {}) };
}

function ratesFor(prompt: number, prices: Prices): Omit<Prices, "above"> {
    const { above } = prices;
    return above !== undefined && prompt > above.promptTokens ? above.prices : prices;
}
