import { sleep, whenAborted } from "../base/waiting.js";
import type { AgentEvent } from "../core/agent/events.js";

/** How long a cancelled turn may take to say so itself: who cancels wants the prompt, not the end. */
const GRACE_MS = 20;

/** How pulling ended; `settled` resolves when the generator has really ended. */
export type Pulled =
    | { readonly kind: "finished" }
    | { readonly kind: "abandoned"; readonly settled: Promise<unknown> };

/**
 * Pulls events to the end. When the signal aborts and the turn does not end by itself at once, it is
 * left to end unheard, so that the user gets the prompt back whatever it hangs on. The next event is
 * pulled when what `onEvent` returns has resolved: a slow terminal slows down the turn.
 * Rejects with what the generator throws.
 */
export async function pullEvents(
    events: AsyncGenerator<AgentEvent, void>,
    onEvent: (event: AgentEvent) => Promise<void> | void,
    signal: AbortSignal
): Promise<Pulled> {
    const abandoned = whenAborted(signal).then(() => sleep(GRACE_MS));
    for (;;) {
        const next = events.next();
        const result = await Promise.race([next, abandoned]);
        if (!result) return { kind: "abandoned", settled: endUnheard(events, next) };
        if (result.done) return { kind: "finished" };
        const room = onEvent(result.value);
        if (room) await Promise.race([room, abandoned]);
    }
}

// Pulled to its end and not returned early: the turn still has to record what became of its calls.
async function endUnheard(
    events: AsyncGenerator<AgentEvent, void>,
    next: Promise<IteratorResult<AgentEvent, void>>
): Promise<void> {
    try {
        while (!(await next).done) next = events.next();
    } catch {
        // Nobody is left to hear of it.
    }
}
