import type { Prices, Provider } from "../../../plugin/index.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { createCompatibleProvider } from "./create-provider.js";
import type { CompatibleDefinition, CompatibleModel } from "./definition.js";

/** The providers of `config.json`, and what was left out of it, a sentence each. */
export interface ConfiguredProviders {
    readonly providers: Provider[];
    readonly problems: string[];
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Longer than a timer can run would be no time at all. */
const LONGEST_MS = 2 ** 31 - 1;
const PRICE_FIELDS = ["input", "output", "cacheRead", "cacheWrite"] as const;

/**
 * Reads `providers: {NAME: {baseURL, keyVariable?, displayName?, models?, prices?, contextTokens?,
 * silenceSeconds?}}` of the whole configuration. A model is its id, or an object with `id` and what
 * is known of it. What cannot be understood is reported and leaves the other providers alone.
 */
export function compatibleProvidersFromConfig(config: unknown): ConfiguredProviders {
    const providers: Provider[] = [];
    const problems: string[] = [];
    const configured = isJsonObject(config) ? config.providers : undefined;
    if (configured === undefined) return { providers, problems };
    if (!isJsonObject(configured)) {
        return { providers, problems: ["config.json: `providers` is not an object."] };
    }

    for (const [name, settings] of Object.entries(configured)) {
        try {
            const provider = createCompatibleProvider(toDefinition(name, settings));
            providers.push({ ...provider, isConfigured: true });
        } catch (error) {
            if (!(error instanceof Misfit)) throw error;
            problems.push(`config.json: provider \`${name}\`: ${error.message}`);
        }
    }
    return { providers, problems };
}

/** Why settings cannot be understood. */
class Misfit extends Error {}

function fits(condition: boolean, message: string): asserts condition {
    if (!condition) throw new Misfit(message);
}

function toDefinition(name: string, settings: unknown): CompatibleDefinition {
    fits(NAME.test(name), "a name has lower-case letters, digits and dashes only.");
    fits(isJsonObject(settings), "it is not an object.");
    const { baseURL, keyVariable, displayName, models, contextTokens, silenceSeconds } = settings;
    fits(
        typeof baseURL === "string" && /^https?:\/\//.test(baseURL) && URL.canParse(baseURL),
        "`baseURL` is missing or no http(s) URL."
    );
    fits(
        keyVariable === undefined ||
            (typeof keyVariable === "string" && VARIABLE.test(keyVariable)),
        "`keyVariable` is not the name of an environment variable."
    );
    fits(isText(displayName), "`displayName` is not a text.");
    fits(isCount(contextTokens), "`contextTokens` is not a positive whole number.");
    fits(isCount(silenceSeconds), "`silenceSeconds` is not a positive whole number.");
    fits(models === undefined || Array.isArray(models), "`models` is not a list.");
    const prices = toPrices(settings.prices, "prices");
    return {
        name,
        baseURL,
        ...defined({ keyVariable, displayName, contextTokens, prices }),
        ...(silenceSeconds === undefined
            ? {}
            : { silenceMs: Math.min(silenceSeconds * 1_000, LONGEST_MS) }),
        models: (models ?? []).map(toModel),
    };
}

function toModel(model: unknown, index: number): CompatibleModel {
    const where = `models[${index}]`;
    if (typeof model === "string" && model !== "") return { id: model };
    fits(isJsonObject(model), `\`${where}\` is neither an id nor an object.`);
    const { id, displayName, aliases, contextTokens, maxOutputTokens, images, thinking } = model;
    fits(typeof id === "string" && id !== "", `\`${where}.id\` is missing.`);
    fits(isText(displayName), `\`${where}.displayName\` is not a text.`);
    fits(aliases === undefined || isTexts(aliases), `\`${where}.aliases\` is not a list of texts.`);
    fits(isCount(contextTokens), `\`${where}.contextTokens\` is not a positive whole number.`);
    fits(isCount(maxOutputTokens), `\`${where}.maxOutputTokens\` is not a positive whole number.`);
    fits(isFlag(images), `\`${where}.images\` is neither true nor false.`);
    fits(isFlag(thinking), `\`${where}.thinking\` is neither true nor false.`);
    const prices = toPrices(model.prices, `${where}.prices`);
    return {
        id,
        ...defined({ displayName, aliases, contextTokens, maxOutputTokens, images, prices }),
        ...(thinking === true ? { thinking: "adaptive", efforts: ["low", "medium", "high"] } : {}),
    };
}

/** US dollars for a million tokens. */
function toPrices(prices: unknown, where: string): Prices | undefined {
    if (prices === undefined) return undefined;
    fits(isJsonObject(prices), `\`${where}\` is not an object.`);
    for (const field of PRICE_FIELDS) {
        const price = prices[field];
        const isOptional = field !== "input" && field !== "output" && price === undefined;
        fits(
            isOptional || (typeof price === "number" && price >= 0 && Number.isFinite(price)),
            `\`${where}.${field}\` is not a price in US dollars for a million tokens.`
        );
    }
    const { input, output, cacheRead, cacheWrite, asOf, source } = prices;
    fits(isText(asOf) && isText(source), `\`${where}.asOf\` or \`source\` is not a text.`);
    return {
        input: Number(input),
        output: Number(output),
        ...(cacheRead === undefined ? {} : { cacheRead: Number(cacheRead) }),
        ...(cacheWrite === undefined ? {} : { cacheWrite: Number(cacheWrite) }),
        asOf: asOf ?? "unknown",
        source: source ?? "config.json",
    };
}

function isText(value: unknown): value is string | undefined {
    return value === undefined || typeof value === "string";
}

function isFlag(value: unknown): value is boolean | undefined {
    return value === undefined || typeof value === "boolean";
}

function isTexts(value: unknown): value is string[] {
    return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isCount(value: unknown): value is number | undefined {
    return (
        value === undefined || (typeof value === "number" && Number.isInteger(value) && value > 0)
    );
}

/** Without the fields that are absent, so that they do not hide what takes their place. */
function defined<Fields extends object>(fields: Fields): Partial<Fields> {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries) as Partial<Fields>;
}
