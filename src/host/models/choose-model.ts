import { attempt } from "../../base/attempt.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { messageOf } from "../../base/system-error.js";
import type { Provider } from "../../plugin/index.js";
import { defaultModel, resolveModel, type ResolvedModel } from "../../core/registry/models.js";
import type { Config } from "../../storage/config.js";
import { withKeys } from "../../storage/secrets/key-environment.js";
import type { Connections } from "./connections.js";
import { stepsToPluginWith } from "./missing-plugins.js";

/** The initial model; `undefined` if no provider has a key. Skips removed ones with a notice. */
export async function chooseModel(
    candidates: {
        readonly flag?: string;
        /** The resumed conversation's model, as `provider/model`. */
        readonly conversation?: string;
        readonly remembered?: string;
    },
    providers: readonly Provider[],
    connections: Connections,
    problems: readonly string[] = []
): Promise<ResolvedModel | undefined> {
    if (candidates.flag !== undefined) return requestedModel(candidates.flag, providers, problems);
    const notices: string[] = [];
    for (const name of [candidates.conversation, candidates.remembered]) {
        if (name === undefined) continue;
        const found = attempt(() => resolveModel(name, providers));
        if (found) return found;
        notices.push(`The model ${name} is no longer available.`);
    }
    const found = await defaultModel(providers, (provider) => connections.hasKey(provider));
    if (!found || notices.length === 0) return found;
    return { ...found, notice: [...notices, found.notice].filter(Boolean).join(" ") };
}

/** The models of `fallbackModels`; reports each model of the settings that does not exist. */
export function fallbackModels(
    { exploreModel, fallbackModels: names = [] }: Pick<Config, "exploreModel" | "fallbackModels">,
    providers: readonly Provider[],
    report: (warning: string) => void
): readonly ResolvedModel[] {
    const find = (setting: string, name: string) => {
        try {
            return [resolveModel(name, providers)];
        } catch (error) {
            report(`\`${setting}\` in config.json: ${messageOf(error)}`);
            return [];
        }
    };
    if (exploreModel !== undefined) find("exploreModel", exploreModel);
    return names.flatMap((name) => find("fallbackModels", name));
}

/** One sentence for each server whose key is set, but whose models the user has to choose from. */
export function unchosenServers(
    providers: readonly Provider[],
    environment: NodeJS.ProcessEnv
): readonly string[] {
    const keys = withKeys(environment);
    return providers.flatMap(({ id, keyVariable = "", models, discover }) => {
        if (!keys[keyVariable] || models.length > 0) return [];
        const lists = discover ? "; `north models` lists them" : "";
        return `${keyVariable} is set: choose a model with \`--model ${id}/MODEL\`${lists}.`;
    });
}

/** Rejects an unknown model with the plugin that may have it, and why a provider is missing. */
export function requestedModel(
    name: string,
    providers: readonly Provider[],
    problems: readonly string[] = []
): ResolvedModel {
    try {
        return resolveModel(name, providers);
    } catch (error) {
        const steps = [...problems, ...stepsToPluginWith(name, providers)];
        if (!isExpectedError(error) || steps.length === 0) throw error;
        throw new NorthError(error.code, error.message, [...steps, ...error.nextSteps]);
    }
}
