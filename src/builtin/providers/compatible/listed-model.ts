import type { JsonObject, ModelInfo, Prices } from "../../../plugin/index.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import type { CompatibleModel } from "./definition.js";

// https://openrouter.ai/docs/api-reference/list-available-models
// https://vercel.com/docs/ai-gateway/models-and-providers#dynamic-model-discovery

/** No real id is longer; bounds the lists that show it. */
const MAX_ID_LENGTH = 1_000;

/** The context size in OpenRouter, vLLM, LM Studio, Groq and Vercel; in `meta` for llama.cpp. */
const CONTEXT_FIELDS = [
    ...["context_length", "max_model_len", "loaded_context_length", "max_context_length"],
    ...["context_window", "n_ctx"],
];
/** The output limit in Groq and Vercel. */
const OUTPUT_FIELDS = ["max_completion_tokens", "max_tokens"];

const PER_MILLION = 1_000_000;
/** US dollars per million tokens. Anything above is not a price; routers list -1 for "it depends". */
const MAX_PRICE = 10_000;

const PRICE_FIELDS: Readonly<Record<string, keyof Prices>> = {
    input_cache_read: "cacheRead",
    input_cache_write: "cacheWrite",
};

/**
 * What a server's list says of a model: its window, and for OpenRouter and its like also name,
 * output limit, prices, vision and thinking. `undefined` if it has no usable id. Says nothing where
 * the list is not plausible.
 */
export function toListedModel(entry: unknown, source: string): CompatibleModel | undefined {
    if (!isJsonObject(entry) || typeof entry.id !== "string") return undefined;
    const { id, name, architecture, top_provider: limits, pricing, meta } = entry;
    if (id === "" || id.length > MAX_ID_LENGTH) return undefined;
    const contextTokens = countIn(entry, CONTEXT_FIELDS) ?? countIn(meta, CONTEXT_FIELDS);
    const output = countIn(limits, OUTPUT_FIELDS) ?? countIn(entry, OUTPUT_FIELDS);
    const prices = isJsonObject(pricing) ? pricesIn(pricing, source) : undefined;
    return {
        id,
        ...(typeof name === "string" && name !== "" && name.length <= MAX_ID_LENGTH
            ? { displayName: name }
            : {}),
        ...(contextTokens === undefined ? {} : { contextTokens }),
        ...(contextTokens === undefined || output === undefined
            ? {}
            : // The rest of the window is for the prompt.
              { maxOutputTokens: Math.min(output, Math.floor(contextTokens / 2)) }),
        ...(prices === undefined ? {} : { prices }),
        ...(seesImages(architecture) ? { images: true } : {}),
        ...thinkingIn(entry),
    } satisfies Partial<ModelInfo>;
}

/** The first of the fields with a positive whole number. */
function countIn(entry: unknown, fields: readonly string[]): number | undefined {
    if (!isJsonObject(entry)) return undefined;
    const counts = fields.map((field) => entry[field]);
    return counts.find((count) => Number.isSafeInteger(count) && Number(count) > 0) as
        | number
        | undefined;
}

/** The list gives US dollars per token, as text. */
function pricesIn(pricing: JsonObject, source: string): Prices | undefined {
    // Vercel's names; Together's numbers under them are for a million tokens.
    const vercel = (value: unknown) => (typeof value === "string" ? perMillion(value) : undefined);
    const input = perMillion(pricing.prompt) ?? vercel(pricing.input);
    const output = perMillion(pricing.completion) ?? vercel(pricing.output);
    if (input === undefined || output === undefined) return undefined;
    const cache = Object.entries(PRICE_FIELDS).flatMap(([field, name]) => {
        const price = perMillion(pricing[field]);
        return price === undefined ? [] : [[name, price] as const];
    });
    const asOf = new Date().toISOString().slice(0, 10);
    return { input, output, ...Object.fromEntries(cache), asOf, source };
}

function perMillion(value: unknown): number | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const text = String(value).trim();
    // Rounded, because 0.0000003 times a million is not 0.3.
    const price = text === "" ? NaN : Number((Number(text) * PER_MILLION).toPrecision(12));
    return price >= 0 && price <= MAX_PRICE ? price : undefined;
}

/** OpenRouter says of a model whether its thinking can be controlled, and turned off. */
function thinkingIn({ reasoning, supported_parameters: known }: JsonObject): Partial<ModelInfo> {
    const isControlled =
        isJsonObject(reasoning) || (Array.isArray(known) && known.includes("reasoning"));
    if (!isControlled) return {};
    const isOptional = isJsonObject(reasoning) && reasoning.mandatory === false;
    return {
        thinking: "adaptive",
        efforts: ["low", "medium", "high"],
        ...(isOptional ? {} : { alwaysThinks: true }),
    };
}

function seesImages(architecture: unknown): boolean {
    if (!isJsonObject(architecture)) return false;
    const { input_modalities: inputs } = architecture;
    return Array.isArray(inputs) && inputs.includes("image");
}
