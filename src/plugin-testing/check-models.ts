import type { ModelInfo, Provider } from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { isOneLine } from "./json.js";

const ID = /^[a-z0-9][a-z0-9-]*$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Checks a provider's own data and its models. Throws a `ContractError`. */
export function checkModels(provider: Provider): void {
    const { id, displayName, models, describe, describesAnyModel, silenceMs = 1 } = provider;
    const problems = new Problems(`Provider ${id}`);
    problems.unless(ID.test(id), `id must match ${ID}`);
    problems.unless(isOneLine(displayName), "displayName is empty");
    problems.unless(
        Number.isInteger(silenceMs) && silenceMs > 0 && silenceMs < 2 ** 31,
        "silenceMs must be a whole number of milliseconds, at most 2147483647"
    );
    const hasModels = models.length > 0 || describe !== undefined;
    problems.unless(hasModels, "it has neither models nor describe");
    const names = models.flatMap((model) => [model.id, ...model.aliases]);
    const distinct = new Set(names.map((name) => name.replaceAll(".", "-")));
    problems.unless(distinct.size === names.length, "two of its models share an id or an alias");
    for (const model of models) checkModel(model, models, problems);
    if (describe !== undefined && describesAnyModel !== true) {
        const described = problems.attempt("describe", () => describe("no-such-family-0"));
        problems.unless(
            described === undefined,
            "describe takes any id: it should refuse, or the provider set describesAnyModel"
        );
    }
    problems.throwAny();
}

function checkModel(model: ModelInfo, all: readonly ModelInfo[], problems: Problems): void {
    const { id, contextTokens, maxOutputTokens, prices, replacedBy } = model;
    problems.unless(isOneLine(id), "a model has no id");
    problems.unless(contextTokens > 0, `${id}: contextTokens must be positive`);
    problems.unless(
        maxOutputTokens > 0 && maxOutputTokens <= contextTokens,
        `${id}: maxOutputTokens must be positive and within contextTokens`
    );
    problems.unless(
        replacedBy === undefined || all.some((other) => other.id === replacedBy),
        `${id}: replacedBy ${replacedBy} is not among the models`
    );
    if (prices === undefined) return;
    const { cacheRead = 0, cacheWrite = 0, webSearch = 0 } = prices;
    const amounts = [prices.input, prices.output, cacheRead, cacheWrite, webSearch];
    const areAmounts = amounts.every((amount) => Number.isFinite(amount) && amount >= 0);
    problems.unless(areAmounts, `${id}: a price is not a number of US dollars`);
    problems.unless(
        DAY.test(prices.asOf) && isOneLine(prices.source),
        `${id}: prices need the day they were read (asOf) and where (source)`
    );
}
