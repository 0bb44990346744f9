import type { Fallback, ModelHandle } from "../../core/agent/model-handle.js";
import { nameOf } from "../../core/registry/models.js";
import type { Mode } from "../../plugin/index.js";
import type { HostSession } from "./session.js";

/** The session's model and its fallbacks. Rejects with `no-api-key`. */
export async function modelOf(session: HostSession, mode: Mode): Promise<ModelHandle> {
    const { provider, model: info } = session.model;
    const { budget, thinking, options } = session;
    // Before the wait, during which the user may choose another model.
    const fallbacks = fallbacksOf(session, mode);
    const connection = await options.connections.to(provider);
    const { ledger } = options.project.stores;
    return { provider, info, thinking, connection, ledger, budget, fallbacks };
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
