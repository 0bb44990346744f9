import type { Fallback } from "../../core/agent/model-handle.js";
import { nameOf } from "../../core/registry/models.js";
import type { Mode } from "../../plugin/index.js";
import type { HostSession } from "./session.js";

/** The models of `fallbackModels`, for one turn in this mode. */
export function fallbacksOf(session: HostSession, mode: Mode): Fallback[] {
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
