import type { ModelInfo, Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { EFFORTS, openaiModels, PROVIDER_ID } from "./models.js";

const REASONING = {
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    thinking: "adaptive",
} as const;

/** Model families by id prefix, newest first; the limits are lower bounds for each family. */
const FAMILIES: readonly (readonly [RegExp, Partial<ModelInfo>])[] = [
    [/^(?:gpt-\d+(?:\.\d+)?-chat|chatgpt)-/, { contextTokens: 128_000, maxOutputTokens: 16_000 }],
    // These have one effort only, their default.
    [/^(?:gpt-\d|o\d).*-pro(?:-|$)/, { ...REASONING, alwaysThinks: true }],
    [/^gpt-(?:[5-9]|\d\d)(?:[.-]|$)/, { ...REASONING, efforts: EFFORTS, contextTokens: 272_000 }],
    [/^o\d+(?:-|$)/, { ...REASONING, efforts: EFFORTS }],
    [/^gpt-4(?:\.|o|-turbo)/, { contextTokens: 128_000, maxOutputTokens: 4_096 }],
];

export const openai: Provider = {
    id: PROVIDER_ID,
    displayName: "OpenAI",
    models: openaiModels,
    keyVariable: "OPENAI_API_KEY",
    baseURLVariable: "OPENAI_BASE_URL",
    silenceMs: EVENT_SILENCE,
    describe: describeModel,
    checkKey: async (...asked) => (await import("./connect.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};

/**
 * Describes an id of a known family that is not in the catalogue. A dated snapshot equals its base
 * model; any other gets cautious limits and no prices.
 */
export function describeModel(id: string): ModelInfo | undefined {
    const base = openaiModels.find((model) => model.id === id.replace(/-\d{4}-\d\d-\d\d$/, ""));
    if (base !== undefined) return base.id === id ? base : { ...base, id, aliases: [] };
    const family = FAMILIES.find(([pattern]) => pattern.test(id))?.[1];
    if (family === undefined) return undefined;
    return {
        id,
        aliases: [],
        displayName: id,
        contextTokens: 128_000,
        maxOutputTokens: 4_096,
        images: true,
        documents: true,
        ...family,
    };
}
