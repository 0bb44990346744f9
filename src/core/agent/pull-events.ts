import { sleep, whenAborted } from "../../base/waiting.js";
import type { AgentEvent } from "./events.js";

/** Grace period for a cancelled turn: the user wants the prompt back at once. */
const GRACE_MS = 20;

/** How pulling ended; `settled` resolves when the generator has really finished. */
type PullOutcome =
    | { readonly kind: "finished" }
    | { readonly kind: "abandoned"; readonly settled: Promise<unknown> };

/**
 * Pulls all events. Abandons a turn that does not end soon after the signal aborts, so that the
 * user gets the prompt back whatever hangs. Pulls the next event once `onEvent` resolves: a slow
 * terminal slows down the turn. Rejects with the generator's error.
 */
export async function pullEvents(
    events: AsyncGenerator<AgentEvent, void>,
    onEvent: (event: AgentEvent) => Promise<void> | void,
    signal: AbortSignal
): Promise<PullOutcome> {
    const abandoned = whenAborted(signal).then(() => sleep(GRACE_MS));
    for (;;) {
        const next = events.next();
        const result = await Promise.race([next, abandoned]);
        if (!result) return { kind: "abandoned", settled: drain(events, next) };
        if (result.done) return { kind: "finished" };
        const handled = onEvent(result.value);
        if (handled) await Promise.race([handled, abandoned]);
    }
}

// Drained rather than returned, because the turn still has to record the outcome of its calls.
async function drain(
    events: AsyncGenerator<AgentEvent, void>,
    next: Promise<IteratorResult<AgentEvent, void>>
): Promise<void> {
    try {
        while (!(await next).done) next = events.next();
    } catch {
        // Nobody is listening anymore.
    }
}
