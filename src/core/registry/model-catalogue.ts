import * as Type from "typebox";
import type { ModelInfo, Prices, Provider } from "../../plugin/index.js";
import { isFields } from "../../base/fields.js";
import { checker, object } from "../../base/json-schema.js";
import type { Owned } from "./registry.js";

// The catalogue's format: https://github.com/sst/models.dev

export interface CatalogueModel {
    /** North's id of the provider. */
    readonly provider: string;
    readonly model: ModelInfo & { readonly prices: Prices };
}

interface ReadCatalogue {
    readonly models: readonly CatalogueModel[];
    /** One clause per entry that is not used: `openai/gpt-x: a price of 0`. */
    readonly refused: readonly string[];
}

const rate = Type.Number({ expected: "a price in US dollars per million tokens" });
const count = Type.Integer({ minimum: 1, maximum: 1e9, expected: "a number of tokens" });
const rates = {
    input: rate,
    output: rate,
    cache_read: Type.Optional(rate),
    cache_write: Type.Optional(rate),
};
const above200k = object(rates);
const entry = object({
    // Ids are shown.
    id: Type.String({ pattern: "^[\\w.:@/-]{1,200}$", expected: "an id" }),
    limit: object({ context: count, output: count }),
    cost: object({ ...rates, context_over_200k: Type.Optional(above200k) }),
});
const entryChecker = checker(entry);
type Entry = Type.Static<typeof entry>;

/** No vendor's prices are this many times another's. */
const MAX_RATIO = 1_000;

/**
 * Reads the models of providers from a catalogue: `names` gives the catalogue's name of each. An
 * entry that is malformed or not plausible is refused; `undefined` if the whole is no catalogue.
 */
export function readCatalogue(
    catalogue: unknown,
    names: ReadonlyMap<string, string>,
    origin: Pick<Prices, "asOf" | "source">
): ReadCatalogue | undefined {
    if (!isFields(catalogue)) return undefined;
    const lists = Object.values(catalogue).map(entriesOf);
    if (!lists.some((list) => list.length > 0)) return undefined;
    const typical = medianInput(lists.flat());
    const models: CatalogueModel[] = [];
    const refused: string[] = [];
    for (const [provider, name] of names) {
        for (const [id, entry] of entriesOf(catalogue[name])) {
            // Speech and image models have other prices or none.
            if (!isFields(entry) || entry.cost === undefined) continue;
            const problem = entryChecker.problem(entry) ?? implausible(entry as Entry, typical);
            if (problem === undefined) {
                models.push({ provider, model: toModel(entry as Entry, origin) });
            } else {
                refused.push(`${provider}/${id.slice(0, 80)}: ${problem}`);
            }
        }
    }
    return { models, refused };
}

function entriesOf(list: unknown): readonly (readonly [string, unknown])[] {
    return isFields(list) && isFields(list.models) ? Object.entries(list.models) : [];
}

function medianInput(entries: readonly (readonly [string, unknown])[]): number {
    const inputs = entries
        .flatMap(([, entry]) => (isFields(entry) && isFields(entry.cost) ? [entry.cost.input] : []))
        .filter((input): input is number => typeof input === "number" && input > 0)
        .sort((one, other) => one - other);
    return inputs[Math.floor(inputs.length / 2)] ?? 1;
}

function implausible({ cost, limit }: Entry, typical: number): string | undefined {
    const { context_over_200k: above, ...base } = cost;
    for (const { input, output, cache_read = input, cache_write = input } of [
        base,
        above ?? base,
    ]) {
        const all = [input, output, cache_read, cache_write];
        if (all.some((price) => price < 0)) return "a negative price";
        if (input === 0 || output === 0) return "a price of 0";
        if (cache_read > input) return "cache reads that cost more than input";
        const isOff = (price: number) => price > typical * MAX_RATIO || price < typical / MAX_RATIO;
        if ([input, output].some(isOff)) {
            return `$${input} and $${output}, a thousand times off the others' $${typical}`;
        }
    }
    return limit.output > limit.context ? "an output limit above its window" : undefined;
}

function toModel(
    { id, cost, limit }: Entry,
    origin: Pick<Prices, "asOf" | "source">
): CatalogueModel["model"] {
    const { context_over_200k: above } = cost;
    const pricesOf = (from: Type.Static<typeof above200k>): Omit<Prices, "above"> => ({
        input: from.input,
        output: from.output,
        ...(from.cache_read === undefined ? {} : { cacheRead: from.cache_read }),
        ...(from.cache_write === undefined ? {} : { cacheWrite: from.cache_write }),
        ...origin,
        isUnconfirmed: true,
    });
    return {
        id,
        aliases: [],
        displayName: id,
        contextTokens: limit.context,
        maxOutputTokens: limit.output,
        prices: {
            ...pricesOf(cost),
            ...(above && { above: { promptTokens: 200_000, prices: pricesOf(above) } }),
        },
    };
}

/** Adds models and prices that providers do not know. Never replaces a price. */
export function withCatalogue(
    providers: ReadonlyMap<string, Owned<Provider>>,
    models: readonly CatalogueModel[]
): ReadonlyMap<string, Owned<Provider>> {
    return new Map(
        [...providers].map(([id, owned]) => {
            const own = models.filter(({ provider }) => provider === id);
            const known = new Map(own.map(({ model }) => [model.id, model]));
            return [id, known.size === 0 ? owned : { ...owned, value: filled(owned.value, known) }];
        })
    );
}

function filled(provider: Provider, known: ReadonlyMap<string, CatalogueModel["model"]>): Provider {
    const priced = (model: ModelInfo): ModelInfo => {
        const prices = model.prices ?? known.get(model.id)?.prices;
        return prices === undefined ? model : { ...model, prices };
    };
    const describe: Provider["describe"] = (modelId) => {
        const described = provider.describe?.(modelId);
        return described ? priced(described) : known.get(modelId);
    };
    // Not a copy: a plugin's provider may be an instance of a class.
    return Object.create(provider, {
        models: { value: provider.models.map(priced) },
        describe: { value: describe },
    });
}
