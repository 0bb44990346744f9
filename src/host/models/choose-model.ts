import type { Provider } from "../../plugin/index.js";
import { defaultModel, resolveModel, type ResolvedModel } from "../../core/registry/models.js";
import type { Connections } from "./connections.js";

/** What may say which model to use, the strongest first. */
export interface ModelCandidates {
    /** `--model`. */
    readonly flag?: string;
    /** What the resumed conversation used, as `provider/model`. */
    readonly conversation?: string;
    /** What `/model` remembered. */
    readonly remembered?: string;
}

/**
 * The model to begin with; `undefined` where nothing was asked for and no provider has a key. A
 * model that was remembered and is gone does not stop North: it says so and goes on with the next.
 */
export async function chooseModel(
    candidates: ModelCandidates,
    providers: readonly Provider[],
    connections: Connections
): Promise<ResolvedModel | undefined> {
    if (candidates.flag !== undefined) return resolveModel(candidates.flag, providers);
    const notices: string[] = [];
    for (const name of [candidates.conversation, candidates.remembered]) {
        if (name === undefined) continue;
        try {
            return resolveModel(name, providers);
        } catch {
            notices.push(`The model ${name} is not available any more.`);
        }
    }
    const found = await defaultModel(providers, (provider) => connections.hasKey(provider));
    if (!found || notices.length === 0) return found;
    return { ...found, notice: [...notices, found.notice].filter(Boolean).join(" ") };
}
