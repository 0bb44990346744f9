import * as Type from "typebox";
import { checker, list, object } from "../../../base/json-schema.js";
import { parseUrl } from "../../../base/parse-url.js";
import type { Prices, Provider } from "../../../plugin/index.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { createCompatibleProvider } from "./create-provider.js";
import type { CompatibleDefinition, CompatibleModel } from "./definition.js";

interface ConfiguredProviders {
    readonly providers: Provider[];
    readonly problems: string[];
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;
/** Node timers with a longer delay fire immediately. */
const MAX_MS = 2 ** 31 - 1;

const text = Type.Optional(Type.String());
const count = Type.Optional(Type.Integer({ minimum: 1, expected: "a positive whole number" }));
const flag = Type.Optional(Type.Boolean());
const price = Type.Number({ minimum: 0, expected: "a price in US dollars per million tokens" });

const configuredPrices = object({
    input: price,
    output: price,
    cacheRead: Type.Optional(price),
    cacheWrite: Type.Optional(price),
    asOf: text,
    source: text,
});
const configuredModel = object({
    id: Type.String({ minLength: 1 }),
    displayName: text,
    aliases: Type.Optional(list(Type.String())),
    contextTokens: count,
    maxOutputTokens: count,
    images: flag,
    thinking: flag,
    prices: Type.Optional(configuredPrices),
});
const configuredProvider = object({
    baseURL: Type.String({ pattern: "^https?://", expected: "an http(s) URL" }),
    keyVariable: Type.Optional(
        Type.String({
            pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
            expected: "the name of an environment variable",
        })
    ),
    /** The header that carries the key alone, as Azure's `api-key`; a bearer token otherwise. */
    keyHeader: Type.Optional(
        Type.String({ pattern: "^[A-Za-z0-9-]+$", expected: "the name of a header" })
    ),
    displayName: text,
    models: Type.Optional(list(Type.Union([Type.String({ minLength: 1 }), configuredModel]))),
    /** For models without their own prices. */
    prices: Type.Optional(configuredPrices),
    contextTokens: count,
    silenceSeconds: count,
});
const providerChecker = checker(configuredProvider);

/**
 * Reads `providers` from the configuration: by name, objects described by `configuredProvider`. A
 * model is an id, or an object with `id` and known properties. Invalid entries are reported and do
 * not affect other providers.
 */
export function compatibleProvidersFromConfig(config: unknown): ConfiguredProviders {
    const providers: Provider[] = [];
    const problems: string[] = [];
    const configured = isJsonObject(config) ? config.providers : undefined;
    if (configured === undefined) return { providers, problems };
    if (!isJsonObject(configured)) {
        return { providers, problems: ["config.json: `providers` is not an object."] };
    }

    for (const [name, settings] of Object.entries<unknown>(configured)) {
        const isNamed = NAME.test(name);
        if (isNamed && providerChecker.fits(settings) && parseUrl(settings.baseURL)) {
            const provider = createCompatibleProvider(toDefinition(name, settings));
            providers.push({ ...provider, isConfigured: true });
            continue;
        }
        const reason = isNamed
            ? (providerChecker.problem(settings) ?? "`baseURL` must be an http(s) URL")
            : "a name has lower-case letters, digits and dashes only";
        problems.push(`config.json: provider \`${name}\`: ${reason}.`);
    }
    return { providers, problems };
}

function toDefinition(
    name: string,
    settings: Type.Static<typeof configuredProvider>
): CompatibleDefinition {
    const { silenceSeconds, models = [], prices } = settings;
    return {
        name,
        ...picked(settings, [
            "baseURL",
            "keyVariable",
            "keyHeader",
            "displayName",
            "contextTokens",
        ]),
        ...(prices === undefined ? {} : { prices: toPrices(prices) }),
        ...(silenceSeconds === undefined
            ? {}
            : { silenceMs: Math.min(silenceSeconds * 1_000, MAX_MS) }),
        models: models.map((model) => (typeof model === "string" ? { id: model } : toModel(model))),
    };
}

const MODEL_FIELDS = [
    "id",
    "displayName",
    "aliases",
    "contextTokens",
    "maxOutputTokens",
    "images",
] as const;

function toModel(model: Type.Static<typeof configuredModel>): CompatibleModel {
    const { thinking, prices } = model;
    return {
        ...picked(model, MODEL_FIELDS),
        ...(prices === undefined ? {} : { prices: toPrices(prices) }),
        ...(thinking === true ? { thinking: "adaptive", efforts: ["low", "medium", "high"] } : {}),
    };
}

/** US dollars per million tokens. */
function toPrices(prices: Type.Static<typeof configuredPrices>): Prices {
    const known = picked(prices, ["input", "output", "cacheRead", "cacheWrite", "asOf", "source"]);
    return { asOf: "unknown", source: "config.json", ...known };
}

/** Picks the fields that are present: an `undefined` one would hide its default. */
function picked<Value extends object, Name extends keyof Value>(
    value: Value,
    names: readonly Name[]
): Pick<Value, Name> {
    const entries = names.filter((name) => name in value).map((name) => [name, value[name]]);
    return Object.fromEntries(entries) as Pick<Value, Name>;
}
