import type { ModelInfo, Prices, Provider } from "../../plugin/index.js";
import { type Fields, isFields } from "../../base/fields.js";
import { dayOf } from "./models.js";
import type { Owned } from "./registry.js";

/** Providers with the user's corrections in their models. */
export interface CorrectedModels {
    readonly providers: ReadonlyMap<string, Owned<Provider>>;
    /** `provider/id` of each model that is not as its provider brought it. */
    readonly corrected: ReadonlySet<string>;
    /** One sentence for each correction that was left out. */
    readonly problems: readonly string[];
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isFlag: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isPrice: Check = (value) => Number.isFinite(value) && Number(value) >= 0;
const isDay: Check = (value) => /^\d{4}-\d\d-\d\d$/.test(String(value));
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);

const PRICE_FIELDS: Readonly<Record<string, Check>> = {
    input: isPrice,
    output: isPrice,
    cacheRead: isPrice,
    cacheWrite: isPrice,
    cacheWriteLong: isPrice,
    from: isDay,
    source: isText,
};
const MODEL_FIELDS: Readonly<Record<string, Check>> = {
    provider: isText,
    id: isText,
    alias: isText,
    aliases: isTexts,
    displayName: isText,
    contextTokens: isCount,
    maxOutputTokens: isCount,
    images: isFlag,
    retiresOn: isDay,
    replacedBy: isText,
    prices: (value) => isFields(value) && badField(value, PRICE_FIELDS) === undefined,
};

/**
 * Applies `models` of the user's configuration: entries that correct single fields of a model, or
 * add one. What cannot be understood is left out and told.
 */
export function correctModels(
    providers: ReadonlyMap<string, Owned<Provider>>,
    entries: unknown,
    now = Date.now()
): CorrectedModels {
    const all = new Map(providers);
    const corrected = new Set<string>();
    const problems: string[] = [];
    const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
    if (entries !== undefined && !Array.isArray(entries)) problems.push("`models` is not a list.");
    for (const [index, entry] of list.entries()) {
        const problem = applyEntry(all, entry, now);
        if (problem !== undefined) problems.push(`models[${index}] was left out: ${problem}.`);
        else if (isFields(entry)) corrected.add(`${entry.provider}/${entry.id}`);
    }
    return { providers: all, corrected, problems };
}

/** Puts the entry's model in its place; the reason where it cannot. */
function applyEntry(
    providers: Map<string, Owned<Provider>>,
    entry: unknown,
    now: number
): string | undefined {
    if (!isFields(entry)) return "it is not an object";
    const bad = badField({ provider: "", id: "", ...entry }, MODEL_FIELDS);
    if (bad !== undefined) return `\`${bad}\` is missing, unknown or not what it should be`;
    const owned = providers.get(String(entry.provider));
    if (!owned) return `there is no provider ${String(entry.provider)}`;
    const { value: provider } = owned;
    const id = String(entry.id);
    const known = provider.models.find((model) => model.id === id) ?? provider.describe?.(id);
    const model = correctedModel(id, known, entry, now);
    if (model === undefined) return "a new model needs contextTokens and maxOutputTokens";
    const isListed = provider.models.some((other) => other.id === id);
    const models = isListed
        ? provider.models.map((other) => (other.id === id ? model : other))
        : [...provider.models, model];
    // Not a copy: a plugin's provider may be an object of a class.
    const value: Provider = Object.create(provider, { models: { value: models } });
    providers.set(provider.id, { ...owned, value });
    return undefined;
}

function correctedModel(
    id: string,
    known: ModelInfo | undefined,
    { provider: _provider, alias, prices, ...fields }: Fields,
    now: number
): ModelInfo | undefined {
    const blank = { id, aliases: [], displayName: id, contextTokens: 0, maxOutputTokens: 0 };
    const base: ModelInfo = { ...(known ?? blank), ...fields };
    if (base.contextTokens === 0 || base.maxOutputTokens === 0) return undefined;
    const aliases = typeof alias === "string" ? [alias, ...base.aliases] : base.aliases;
    const newPrices = isFields(prices) ? correctedPrices(known?.prices, prices, now) : undefined;
    return { ...base, aliases, ...(newPrices === undefined ? {} : { prices: newPrices }) };
}

/** `undefined` where they do not hold yet, or where half of a price would remain unknown. */
function correctedPrices(
    known: Prices | undefined,
    { from, ...rates }: Fields,
    now: number
): Prices | undefined {
    const today = dayOf(now);
    if (typeof from === "string" && from > today) return undefined;
    const { isUnconfirmed: _unconfirmed, ...confirmed } = known ?? { input: NaN, output: NaN };
    const prices: Prices = {
        ...confirmed,
        source: "config.json",
        asOf: typeof from === "string" ? from : today,
        ...rates,
    };
    return Number.isNaN(prices.input) || Number.isNaN(prices.output) ? undefined : prices;
}

function badField(fields: Fields, checks: Readonly<Record<string, Check>>): string | undefined {
    return Object.entries(fields).find(([name, value]) => !checks[name]?.(value))?.[0];
}
