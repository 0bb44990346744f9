import { NorthError } from "../base/north-error.js";
import { untilAborted, within, sleep, whenAborted } from "../base/waiting.js";
import type { AgentEvent } from "./agent/events.js";
import { TurnStopped } from "./agent/turn.js";

/** Max wait for a cancelled turn that hangs. */
const SETTLE_MS = 10_000;

/** Grace period for a cancelled turn: the user wants the prompt back at once. */
const GRACE_MS = 20;

/** Lets a session run one cancellable turn or task at a time, even if the last turn hangs. */
export class OneTurn {
    private controller: AbortController | undefined;
    private running: Promise<unknown> = Promise.resolve();
    private hanging: Promise<unknown> | undefined;

    get hangs(): boolean {
        return this.hanging !== undefined;
    }

    /** Rejects with `turn-running` while another one runs. */
    async run<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
        if (this.controller) {
            throw new NorthError("turn-running", "Another turn or task is still running.");
        }
        const { signal } = (this.controller = new AbortController());
        const ended = work(signal).finally(() => (this.controller = undefined));
        this.running = ended.catch(() => undefined);
        return ended;
    }

    cancel(): void {
        this.controller?.abort(new TurnStopped("cancelled"));
    }

    /** Waits for a cancelled turn that hangs. Rejects with `turn-still-running`. */
    async settle(signal: AbortSignal): Promise<void> {
        if (!this.hanging) return;
        const settled = this.hanging.then(() => true);
        const stopped = untilAborted(settled, signal, () => true);
        if (await within(SETTLE_MS, stopped, () => false)) return;
        throw new NorthError("turn-still-running", "The cancelled turn has not stopped yet.", [
            "Send the message again in a moment, or quit and resume the conversation.",
        ]);
    }

    /**
     * Pulls a turn's events. Abandons one that does not end soon after the signal aborts, so that
     * the user gets the prompt back whatever hangs, and resolves with false. Pulls the next event
     * once `onEvent` resolves: a slow terminal slows down the turn. Rejects with the generator's
     * error.
     */
    async pull(
        events: AsyncGenerator<AgentEvent, void>,
        onEvent: (event: AgentEvent) => Promise<void> | void,
        signal: AbortSignal
    ): Promise<boolean> {
        const abandoned = whenAborted(signal).then(() => sleep(GRACE_MS));
        for (;;) {
            const next = events.next();
            const result = await Promise.race([next, abandoned]);
            if (!result) {
                this.hanging = drain(events, next).finally(() => (this.hanging = undefined));
                return false;
            }
            if (result.done) return true;
            const handled = onEvent(result.value);
            if (handled) await Promise.race([handled, abandoned]);
        }
    }

    /** Cancels what runs, and waits for its end. */
    async close(): Promise<void> {
        this.cancel();
        const ended = this.running.then(() => this.hanging);
        await within(SETTLE_MS, ended, () => undefined);
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
