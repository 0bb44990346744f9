import type { ModelInfo, Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { anthropicModels, PROVIDER_ID } from "./models.js";

const FAMILY = /^claude-(sonnet|opus|haiku|fable|mythos)-\d/;

export const anthropic: Provider = {
    id: PROVIDER_ID,
    displayName: "Anthropic",
    models: anthropicModels,
    keyVariable: "ANTHROPIC_API_KEY",
    baseURLVariable: "ANTHROPIC_BASE_URL",
    silenceMs: EVENT_SILENCE,
    describe: describeModel,
    checkKey: async (...asked) => (await import("./connect.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};

/**
 * Describes an id of a known family that is not in the catalogue. A dated snapshot equals its base
 * model; a newer model gets cautious limits, no prices, and only options that all models accept.
 */
function describeModel(id: string): ModelInfo | undefined {
    const exact = find(id);
    if (exact !== undefined) return exact;
    const base = find(id.replace(/-\d{8}$/, ""));
    if (base !== undefined) return { ...base, id, aliases: [] };
    if (!FAMILY.test(id)) return undefined;
    return {
        id,
        aliases: [],
        displayName: id,
        contextTokens: 200_000,
        maxOutputTokens: 64_000,
        images: true,
        documents: true,
        thinking: "adaptive",
        alwaysThinks: true,
    };
}

function find(name: string): ModelInfo | undefined {
    return anthropicModels.find((model) => model.id === name || model.aliases.includes(name));
}
