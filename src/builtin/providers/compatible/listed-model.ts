import type { JsonObject, ModelInfo, Prices } from "../../../plugin/index.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import type { CompatibleModel } from "./definition.js";

// https://openrouter.ai/docs/api-reference/list-available-models

/** No real id is longer; bounds the lists that show it. */
const MAX_ID_LENGTH = 1_000;

/** Fields for the context size in OpenRouter, vLLM and LM Studio; in `meta` for llama.cpp. */
const CONTEXT_FIELDS = ["context_length", "max_model_len", "max_context_length", "n_ctx"];

const PER_MILLION = 1_000_000;
/** US dollars per million tokens. Anything above is no price; routers list -1 for "it depends". */
const MAX_PRICE = 10_000;

const PRICE_FIELDS: Readonly<Record<string, keyof Prices>> = {
    input_cache_read: "cacheRead",
    input_cache_write: "cacheWrite",
};

/**
 * What a server's list says of a model: its window, and for OpenRouter and its like also name,
 * output limit, prices and vision. `undefined` if it has no usable id. Says nothing where the list
 * is not plausible.
 */
export function toListedModel(
    entry: unknown,
    source: string,
    now = Date.now()
): CompatibleModel | undefined {
    if (!isJsonObject(entry) || typeof entry.id !== "string") return undefined;
    const { id, name, architecture, top_provider: limits, pricing, meta } = entry;
    if (id === "" || id.length > MAX_ID_LENGTH) return undefined;
    const contextTokens = contextIn(entry) ?? contextIn(meta);
    const output = isJsonObject(limits) ? countIn(limits.max_completion_tokens) : undefined;
    const prices = isJsonObject(pricing) ? pricesIn(pricing, source, now) : undefined;
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
    } satisfies Partial<ModelInfo>;
}

function contextIn(entry: unknown): number | undefined {
    if (!isJsonObject(entry)) return undefined;
    return CONTEXT_FIELDS.map((field) => countIn(entry[field])).find(
        (count) => count !== undefined
    );
}

function countIn(value: unknown): number | undefined {
    return typeof value === "number" && value > 0 ? value : undefined;
}

/** The list gives US dollars per token, as text. */
function pricesIn(pricing: JsonObject, source: string, now: number): Prices | undefined {
    const [input, output] = [perMillion(pricing.prompt), perMillion(pricing.completion)];
    if (input === undefined || output === undefined) return undefined;
    const cache = Object.entries(PRICE_FIELDS).flatMap(([field, name]) => {
        const price = perMillion(pricing[field]);
        return price === undefined ? [] : [[name, price] as const];
    });
    const asOf = new Date(now).toISOString().slice(0, 10);
    return { input, output, ...Object.fromEntries(cache), asOf, source };
}

function perMillion(value: unknown): number | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    const text = String(value).trim();
    // Rounded, because 0.0000003 times a million is not 0.3.
    const price = text === "" ? NaN : Number((Number(text) * PER_MILLION).toPrecision(12));
    return price >= 0 && price <= MAX_PRICE ? price : undefined;
}

function seesImages(architecture: unknown): boolean {
    if (!isJsonObject(architecture)) return false;
    const { input_modalities: inputs } = architecture;
    return Array.isArray(inputs) && inputs.includes("image");
}
