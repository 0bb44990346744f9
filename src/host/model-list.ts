import type { Config } from "@oclif/core";
import type { ModelInfo } from "../plugin/index.js";
import { formatTokens } from "../core/costs/format.js";
import { createConnections } from "./connections.js";
import { loadRegistry } from "./load-plugins.js";
import { table } from "./table.js";

/** A model, who serves it, and whether it can be used at once. */
export interface ListedModel extends ModelInfo {
    readonly provider: string;
    readonly hasKey: boolean;
}

export interface ModelList {
    readonly models: readonly ListedModel[];
    /** Plugins that did not load in full. */
    readonly problems: readonly string[];
}

/** All models of all providers, retired ones included. */
export async function listModels(config: Config, configFolder: string): Promise<ModelList> {
    const { providers, problems } = await loadRegistry(config);
    const connections = createConnections(process.env, configFolder);
    const models = await Promise.all(
        [...providers.values()].map(async ({ value: provider }) => {
            const hasKey = await connections.hasKey(provider);
            const served = await connections.discover(provider);
            const servedIds = new Set(served.map(({ id }) => id));
            const known = provider.models.filter(({ id }) => !servedIds.has(id));
            return [...known, ...served].map((model) => ({
                ...model,
                provider: provider.id,
                hasKey,
            }));
        })
    );
    return { models: models.flat(), problems };
}

/** The models still served. */
export function modelTable({ models, problems }: ModelList): string {
    const texts = ["Model", "Id", "Provider", "Key"].map((heading) => ({ heading }));
    const numbers = ["Context", "Output", "In $/M", "Out $/M"].map((heading) => ({
        heading,
        align: "right" as const,
    }));
    const rows = models
        .filter(({ replacedBy }) => replacedBy === undefined)
        .map((model) => [
            model.aliases[0] ?? model.id,
            model.id,
            model.provider,
            model.hasKey ? "yes" : "no",
            formatTokens(model.contextTokens),
            formatTokens(model.maxOutputTokens),
            model.prices?.input.toFixed(2) ?? "unknown",
            model.prices?.output.toFixed(2) ?? "unknown",
        ]);
    return [table([...texts, ...numbers], rows), ...problems].join("\n");
}
