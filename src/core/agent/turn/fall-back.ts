import { isExpectedError } from "../../../base/north-error.js";
import { messageOf } from "../../../base/system-error.js";
import { isOverload } from "../reply/retry.js";
import type { AgentEvent } from "../events.js";
import type { ModelAccess } from "../turn.js";

/**
 * Switches the turn to its next fallback model after an overload; returns whether it did. The
 * conversation keeps its model, so that the next turn starts with it again.
 */
export async function* fallBack(
    turn: ModelAccess,
    error: unknown
): AsyncGenerator<AgentEvent, boolean> {
    if (turn.signal.aborted || !isExpectedError(error) || !isOverload(error.code)) return false;
    for (;;) {
        const [next, ...fallbacks] = turn.model.fallbacks ?? [];
        if (next === undefined) return false;
        turn.model = { ...turn.model, fallbacks };
        const { name } = next;
        try {
            const { model, request } = await next.open();
            turn.log.event("info", "model_fallback", {
                ...{ from: turn.model.info.id, to: name, error: error.code },
            });
            turn.model = { ...turn.model, ...model };
            if (turn.request) turn.request = { ...turn.request, ...request };
        } catch (problem) {
            turn.signal.throwIfAborted();
            const text = `The fallback model ${name} cannot be used: ${messageOf(problem)}`;
            yield { type: "notice", text };
            continue;
        }
        yield { type: "notice", text: `${error.message} Continuing with ${name}.` };
        return true;
    }
}
