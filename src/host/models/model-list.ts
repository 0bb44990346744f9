import type { Config } from "@oclif/core";
import type { ModelInfo } from "../../plugin/index.js";
import { isRetired } from "../../core/registry/models.js";
import { formatTokens } from "../../core/costs/format.js";
import { createConnections } from "./connections.js";
import { loadRegistry, OWN_PLUGIN } from "../project/load-plugins.js";
import { table } from "../command-line/table.js";

/** A model, who serves it, and whether it can be used at once. */
export interface ListedModel extends ModelInfo {
    readonly provider: string;
    readonly hasKey: boolean;
    /** The plugin that brought it, `config.json`, or `server` where that was asked. */
    readonly from: string;
}

export interface ModelList {
    readonly models: readonly ListedModel[];
    /** Plugins that did not load in full. */
    readonly problems: readonly string[];
}

/** All models of all providers, retired ones included. */
export async function listModels(config: Config, configFolder: string): Promise<ModelList> {
    const { providers, problems, correctedModels } = await loadRegistry(config);
    const connections = createConnections(process.env, configFolder);
    const models = await Promise.all(
        [...providers.values()].map(async ({ value: provider, plugin }) => {
            const hasKey = await connections.hasKey(provider);
            const served = await connections.discover(provider);
            const servedIds = new Set(served.map(({ id }) => id));
            const known = provider.models.filter(({ id }) => !servedIds.has(id));
            const fromOf = (id: string) =>
                correctedModels.has(`${provider.id}/${id}`) ? "config.json" : plugin;
            const facts = { provider: provider.id, hasKey };
            return [
                ...known.map((model) => ({ ...model, ...facts, from: fromOf(model.id) })),
                ...served.map((model) => ({ ...model, ...facts, from: "server" })),
            ];
        })
    );
    return { models: models.flat(), problems };
}

/** All models, those first that are still served. */
export function modelTable({ models, problems }: ModelList, now = Date.now()): string {
    const texts = ["Model", "Id", "Provider", "Key"].map((heading) => ({ heading }));
    const numbers = ["Context", "Output", "In $/M", "Out $/M"].map((heading) => ({
        heading,
        align: "right" as const,
    }));
    const served = models.filter((model) => !isRetired(model, now));
    const retired = models.filter((model) => isRetired(model, now));
    const rows = [...served, ...retired].map((model) => [
        model.aliases[0] ?? model.id,
        model.id,
        model.provider,
        model.hasKey ? "yes" : "no",
        formatTokens(model.contextTokens),
        formatTokens(model.maxOutputTokens),
        model.prices?.input.toFixed(2) ?? "unknown",
        model.prices?.output.toFixed(2) ?? "unknown",
        notesOf(model, now),
    ]);
    const columns = [...texts, ...numbers, { heading: "Notes" }];
    return [table(columns, rows), ...problems].join("\n");
}

function notesOf(model: ListedModel, now: number): string {
    const { retiresOn, replacedBy, prices, from } = model;
    const successor = replacedBy === undefined ? "" : `, then ${replacedBy}`;
    const notes = [
        isRetired(model, now)
            ? `retired; ${replacedBy ?? "no successor"}`
            : retiresOn && `retires ${retiresOn}${successor}`,
        (prices?.isUnconfirmed || prices?.above?.prices.isUnconfirmed) && "price unconfirmed",
        from !== OWN_PLUGIN && `from ${from}`,
    ];
    return notes.filter(Boolean).join("; ");
}
