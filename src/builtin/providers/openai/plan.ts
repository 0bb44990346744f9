import type { ModelInfo, Prices } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import { openai } from "./index.js";

// https://developers.openai.com/siwc/token-sharing-open-source

export const CHATGPT: Vendor = {
    id: "chatgpt",
    name: "ChatGPT",
    baseURLVariable: "CHATGPT_BASE_URL",
    baseURL: "https://api.openai.com/v1",
};

/** The plan is paid for already; it counts requests in its own way. */
const IN_THE_PLAN: Prices = {
    input: 0,
    output: 0,
    asOf: "2026-11-27",
    source: "https://developers.openai.com/siwc/token-sharing-open-source/profiles-and-sessions",
};
/** Plans have no published window: the least of the current models elsewhere. */
const CONTEXT = 272_000;

function inPlan({
    retiresOn: _day,
    replacedBy: _id,
    webSearch: _search,
    ...model
}: ModelInfo): ModelInfo {
    const contextTokens = Math.min(model.contextTokens, CONTEXT);
    return { ...model, contextTokens, prices: IN_THE_PLAN };
}

export const planModels: readonly ModelInfo[] = openai.models
    .filter(({ isLegacy, replacedBy }) => !isLegacy && replacedBy === undefined)
    .map(inPlan);

export function describePlanModel(id: string): ModelInfo | undefined {
    const known = openai.models.find((model) => model.id === id) ?? openai.describe?.(id);
    return known && inPlan(known);
}
