import type { ModelInfo } from "../../../plugin/index.js";
import { anthropicModels } from "./models.js";

const FAMILY = /^claude-(sonnet|opus|haiku|fable|mythos)-\d/;

/**
 * An id of a known family that is not in the catalogue. A dated snapshot (or the `-thinking` of
 * older configurations) is its base model; a newer model gets cautious limits and no prices.
 */
export function describeModel(modelId: string): ModelInfo | undefined {
    const id = modelId.replace(/-thinking$/, "");
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
        thinking: "adaptive",
    };
}

function find(name: string): ModelInfo | undefined {
    return anthropicModels.find((model) => model.id === name || model.aliases.includes(name));
}
