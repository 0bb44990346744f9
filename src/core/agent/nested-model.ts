import { attempt } from "../../base/attempt.js";
import type { ModelInfo, NestedRunOptions } from "../../plugin/index.js";
import { resolveModel, subAgentModel } from "../registry/models.js";
import type { Turn } from "./turn.js";

type Chooser = Pick<Turn, "model" | "settings">;

/** The model of a nested run. Throws `unknown-model`. */
export function nestedModel(
    parent: Chooser,
    options: Pick<NestedRunOptions, "model" | "webSearch">,
    isWriting = false
): ModelInfo {
    const { provider, info } = parent.model;
    if (options.model === "inherit") return info;
    if (options.model !== undefined) return resolveModel(options.model, [provider]).model;
    const model = isWriting ? info : modelForReading(parent);
    return options.webSearch && !model.webSearch ? info : model;
}

/** The configured model may belong to another provider; then the conversation's own is used. */
function modelForReading({
    model: { provider, info },
    settings: { nestedModel: configured },
}: Chooser): ModelInfo {
    if (configured === undefined) return subAgentModel(provider, info) ?? info;
    return attempt(() => resolveModel(configured, [provider]).model, info);
}
