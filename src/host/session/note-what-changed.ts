import type { SessionParts } from "./session-parts.js";

/** Notes in the log that another model, another way to think or another folder goes on. */
export function noteWhatChanged(session: SessionParts): void {
    const { conversation, root, options } = session;
    const { state } = conversation;
    const at = options.edges.now();
    const { provider, model } = session.model;
    if (state.provider !== provider.id || state.model !== model.id) {
        const names = { provider: provider.id, model: model.id };
        conversation.record({ type: "model_changed", at, ...names });
    }

    const { on, effort } = session.thinking;
    if (state.thinking.on !== on || state.thinking.effort !== effort) {
        conversation.record({ ...session.thinking, type: "thinking_changed", at });
    }

    // The model is told as well.
    if (state.root !== root) conversation.record({ type: "root_changed", root, at });
}
