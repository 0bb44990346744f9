import type { Config } from "@oclif/core";
import { messageOf } from "../../base/system-error.js";
import type { ModelInfo, Provider } from "../../plugin/index.js";
import { isExpectedError } from "../../base/north-error.js";
import { choiceRank, isOffered, isRetired } from "../../core/registry/models.js";
import { formatTokens, formatUsd } from "../../base/format.js";
import { type Connections, createConnections } from "./connections.js";
import { OWN_PLUGIN, valuesOf } from "../../core/registry/registry.js";
import { requestedModel } from "./choose-model.js";
import { missingPluginNotices } from "./missing-plugins.js";
import { loadRegistry } from "../project/load-plugins.js";
import { table } from "../table.js";

/**
 * All models of all providers, including retired ones. Each is `from` a plugin, `config.json`, or the
 * provider's `server`.
 */
export async function listModels(config: Config, configFolder: string) {
    const { providers, problems, correctedModels } = await loadRegistry(config);
    const connections = createConnections(process.env, configFolder);
    const all = valuesOf(providers);
    const lists = await Promise.all(
        [...providers.values()].map(async ({ value: provider, plugin }) => {
            const hasKey = await connections.hasKey(provider);
            if (!isOffered(provider, hasKey)) return { models: [] };
            const { served, problem } = await servedBy(provider, plugin, connections);
            const servedIds = new Set(served.map(({ id }) => id));
            const fromOf = (id: string) =>
                provider.isConfigured || correctedModels.has(`${provider.id}/${id}`)
                    ? "config.json"
                    : plugin;
            // The server's list counts, with what the user has added.
            const known = provider.models.filter(
                ({ id }) =>
                    !servedIds.has(id) && (served.length === 0 || fromOf(id) === "config.json")
            );
            const facts = { provider: provider.id, hasKey };
            const models = [
                ...known.map((model) => ({ ...model, ...facts, from: fromOf(model.id) })),
                ...served.map((model) => ({ ...model, ...facts, from: "server" })),
            ];
            return { models, problem };
        })
    );
    return {
        models: lists.flatMap(({ models }) => models),
        problems: [
            ...problems,
            ...missingPluginNotices(all, process.env),
            ...lists.flatMap(({ problem }) => problem ?? []),
        ],
    };
}

/** Rejects with `unknown-model`. */
export async function findModel(config: Config, name: string): Promise<ModelInfo> {
    const { providers, problems } = await loadRegistry(config);
    return requestedModel(name, valuesOf(providers), problems).model;
}

/** The models that a provider's server offers, or one line that says why not. */
async function servedBy(
    provider: Provider,
    plugin: string,
    connections: Connections
): Promise<{ readonly served: readonly ModelInfo[]; readonly problem?: string }> {
    try {
        return { served: await connections.discover(provider) };
    } catch (error) {
        // North probes for this server unasked, and most machines have none.
        const isNamed = provider.isConfigured || process.env[provider.baseURLVariable ?? ""];
        const isGuess = plugin === OWN_PLUGIN && !isNamed;
        if (isGuess && isExpectedError(error) && error.code === "network") return { served: [] };
        const reason = messageOf(error);
        return { served: [], problem: `${provider.id}: ${reason.split("\n")[0]}` };
    }
}

/** Current models, those with a key first. `all` adds the others and the ids. */
export function modelTable(
    { models, problems }: Awaited<ReturnType<typeof listModels>>,
    { all = false, now = Date.now() }: { readonly all?: boolean; readonly now?: number } = {}
): string {
    const texts = ["Model", ...(all ? ["Id"] : []), "Provider", "Key"];
    const amounts = ["Context", ...(all ? ["Output"] : []), "In $/M", "Out $/M"];
    const retired = models.filter((model) => isRetired(model, now));
    const served = models
        .filter((model) => !retired.includes(model))
        .sort((a, b) => choiceRank(a, a.hasKey) - choiceRank(b, b.hasKey));
    const listed = all ? [...served, ...retired] : served.filter(({ isLegacy }) => !isLegacy);
    const rows = listed.map((model) => [
        model.aliases[0] ?? model.id,
        ...(all ? [model.id] : []),
        model.provider,
        model.hasKey ? "yes" : "no",
        formatTokens(model.contextTokens),
        ...(all ? [formatTokens(model.maxOutputTokens)] : []),
        priceOf(model.prices?.input),
        priceOf(model.prices?.output),
        notesOf(model, model.from, { all, now }),
    ]);
    const columns = [...texts, ...amounts.map((right) => ({ right })), "Notes"];
    const older = served.length - listed.length;
    const more = all
        ? []
        : [
              `\`--all\` adds IDs, output limits, ${older} older and ${retired.length} retired models.`,
          ];
    return [table(columns, rows), ...more, ...problems].join("\n");
}

/** `3.00`, `0.075`: rounded to cents, a small model would be free. */
function priceOf(usd: number | undefined): string {
    if (usd === undefined) return "unknown";
    const [exact, cents] = [String(Number(usd.toFixed(4))), usd.toFixed(2)];
    return exact.length > cents.length ? exact : cents;
}

function notesOf(
    model: ModelInfo,
    from: string,
    { all, now }: { readonly all: boolean; readonly now: number }
): string {
    const { retiresOn, replacedBy, prices } = model;
    const successor = replacedBy === undefined ? "" : `, then ${replacedBy}`;
    const notes = [
        isRetired(model, now)
            ? `retired${replacedBy === undefined ? "" : `, use ${replacedBy}`}`
            : retiresOn && `retires ${retiresOn}${successor}`,
        (prices?.isUnconfirmed || prices?.above?.prices.isUnconfirmed) && "price unconfirmed",
        all &&
            prices?.flex &&
            `flex ${priceOf(prices.flex.input)} and ${priceOf(prices.flex.output)}`,
        all && prices?.webSearch && `web search ${formatUsd(1_000 * prices.webSearch)} per 1,000`,
        from !== OWN_PLUGIN && `from ${from}`,
    ];
    return notes.filter(Boolean).join("; ");
}
