import * as Type from "typebox";
import type { ModelInfo, Prices, Provider } from "../../plugin/index.js";
import { isFields } from "../../base/fields.js";
import { checker, list, object } from "../../base/json-schema.js";
import { dayOf } from "./models.js";
import type { Owned } from "./registry.js";

const text = Type.String({ minLength: 1 });
const day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", expected: "a day, YYYY-MM-DD" });
const count = Type.Integer({ minimum: 1, expected: "a positive whole number" });
const price = Type.Number({ minimum: 0, expected: "a price in US dollars per million tokens" });
const strict = { additionalProperties: false } as const;

const correctedRates = {
    input: Type.Optional(price),
    output: Type.Optional(price),
    cacheRead: Type.Optional(price),
    cacheWrite: Type.Optional(price),
    cacheWriteLong: Type.Optional(price),
    webSearch: Type.Optional(
        Type.Number({ minimum: 0, expected: "a price of one search in US dollars" })
    ),
    source: Type.Optional(text),
};
const correction = object(
    {
        provider: text,
        id: text,
        alias: Type.Optional(text),
        aliases: Type.Optional(list(text)),
        displayName: Type.Optional(text),
        contextTokens: Type.Optional(count),
        maxOutputTokens: Type.Optional(count),
        images: Type.Optional(Type.Boolean()),
        documents: Type.Optional(Type.Boolean()),
        retiresOn: Type.Optional(day),
        replacedBy: Type.Optional(text),
        /** `from`: the date on which the prices take effect. */
        prices: Type.Optional(object({ ...correctedRates, from: Type.Optional(day) }, strict)),
    },
    strict
);
type Correction = Type.Static<typeof correction>;
const correctionChecker = checker(correction);

/** Applies `models` of config.json, which corrects or adds models; drops invalid entries. */
export function correctModels(
    providers: ReadonlyMap<string, Owned<Provider>>,
    entries: unknown,
    now = Date.now()
): {
    readonly providers: ReadonlyMap<string, Owned<Provider>>;
    /** `provider/id` of each corrected model. */
    readonly corrected: ReadonlySet<string>;
    readonly problems: readonly string[];
} {
    const all = new Map(providers);
    const corrected = new Set<string>();
    const isList = Array.isArray(entries);
    const problems = isList || entries === undefined ? [] : ["`models` is not a list."];
    const list: readonly unknown[] = isList ? entries : [];
    for (const [index, entry] of list.entries()) {
        const problem =
            correctionChecker.problem(entry) ?? applyCorrection(all, entry as Correction, now);
        if (problem !== undefined) problems.push(`models[${index}] was skipped: ${problem}.`);
        else if (isFields(entry)) corrected.add(`${entry.provider}/${entry.id}`);
    }
    return { providers: all, corrected, problems };
}

/** Applies the entry's model; returns the reason if it cannot. */
function applyCorrection(
    providers: Map<string, Owned<Provider>>,
    entry: Correction,
    now: number
): string | undefined {
    const owned = providers.get(entry.provider);
    if (!owned) return `there is no provider ${entry.provider}`;
    const { value: provider } = owned;
    const { id } = entry;
    const known = provider.models.find((model) => model.id === id) ?? provider.describe?.(id);
    const model = correctedModel(id, known, entry, now);
    if (model === undefined) return "a new model needs contextTokens and maxOutputTokens";
    const index = provider.models.findIndex((other) => other.id === id);
    const models = index < 0 ? [...provider.models, model] : provider.models.with(index, model);
    const discover: Provider["discover"] = async (settings) => {
        const served = (await provider.discover?.(settings)) ?? [];
        return served.map((each) =>
            each.id === id ? (correctedModel(id, each, entry, now) ?? each) : each
        );
    };
    // Not a copy: a plugin's provider may be an instance of a class.
    const value: Provider = Object.create(provider, {
        models: { value: models },
        ...(provider.discover && { discover: { value: discover } }),
    });
    providers.set(provider.id, { ...owned, value });
    return undefined;
}

function correctedModel(
    id: string,
    known: ModelInfo | undefined,
    { provider: _provider, alias, prices, ...fields }: Correction,
    now: number
): ModelInfo | undefined {
    const blank = { id, aliases: [], displayName: id, contextTokens: 0, maxOutputTokens: 0 };
    const base: ModelInfo = { ...(known ?? blank), ...fields };
    if (base.contextTokens === 0 || base.maxOutputTokens === 0) return undefined;
    const aliases = alias === undefined ? base.aliases : [alias, ...base.aliases];
    const newPrices = prices && correctedPrices(known?.prices, prices, now);
    return { ...base, aliases, ...(newPrices === undefined ? {} : { prices: newPrices }) };
}

/** `undefined` if they are not in effect yet, or if input or output would have no price. */
function correctedPrices(
    known: Prices | undefined,
    { from, ...rates }: NonNullable<Correction["prices"]>,
    now: number
): Prices | undefined {
    const today = dayOf(now);
    if (from !== undefined && from > today) return undefined;
    const { isUnconfirmed: _unconfirmed, ...confirmed } = known ?? { input: NaN, output: NaN };
    const prices: Prices = {
        ...confirmed,
        source: "config.json",
        asOf: from ?? today,
        ...rates,
    };
    return Number.isNaN(prices.input) || Number.isNaN(prices.output) ? undefined : prices;
}
