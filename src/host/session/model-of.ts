import type { Fallback, ModelHandle } from "../../core/agent/model-handle.js";
import { NorthError } from "../../base/north-error.js";
import { nameOf } from "../../core/registry/models.js";
import type { Mode, ModelInfo, Provider, Tier } from "../../plugin/index.js";
import type { HostSession } from "./session.js";

/** The session's model and its fallbacks. Rejects with `no-api-key` or `no-tier`. */
export async function modelOf(session: HostSession, mode: Mode): Promise<ModelHandle> {
    const { provider, model: info } = session.model;
    const { budget, thinking, options } = session;
    const { tier } = options;
    if (tier !== undefined && info.prices?.flex === undefined) throw noTier(provider, info, tier);
    // Before the wait, during which the user may choose another model.
    const fallbacks = fallbacksOf(session, mode);
    const connection = await options.connections.to(provider);
    const { ledger } = options.project.stores;
    return { provider, info, thinking, tier, connection, ledger, budget, fallbacks };
}

function noTier(provider: Provider, model: ModelInfo, tier: Tier): NorthError {
    const having = provider.models.filter(({ prices }) => prices?.flex).map(({ id }) => id);
    return new NorthError("no-tier", `${provider.id}/${model.id} has no ${tier} tier.`, [
        having.length > 0
            ? `Models that have one: ${having.join(", ")}.`
            : `${provider.displayName} offers none; \`north models\` names the models that have one.`,
        "Without --tier, and without `tier` in config.json, requests are standard ones.",
    ]);
}

/** The models of `fallbackModels`, for one turn in this mode. */
function fallbacksOf(session: HostSession, mode: Mode): Fallback[] {
    const { options } = session;
    const { connections } = options;
    return options.fallbackModels
        .filter(({ model }) => model.id !== session.model.model.id)
        .map((resolved) => ({
            name: nameOf(resolved),
            open: async () => {
                const { provider } = resolved;
                const connection = await connections.to(provider);
                const { model: info } = await connections.completed(resolved);
                const { model, request } = session.requestParts(info, mode);
                return { model: { ...model, provider, connection }, request };
            },
        }));
}
