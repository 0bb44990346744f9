import { untilAborted, within } from "../base/waiting.js";

export type StopCause = "timed-out" | "cancelled";

interface StopConditions {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** How long it has waited for answers of the user, which does not count; milliseconds. */
    readonly waitedMs?: (() => number) | undefined;
}

/** Between looks at the time that waiting has added. */
const LOOK_MS = 100;

export function stopFlags(stopped: StopCause | undefined) {
    return {
        ...(stopped === "timed-out" && { timedOut: true }),
        ...(stopped === "cancelled" && { cancelled: true }),
    };
}

/** Resolves with `undefined` if the command ends before its timeout or abort. */
export async function stopOf(
    ending: Promise<unknown>,
    { timeoutMs, signal, waitedMs = () => 0 }: StopConditions
): Promise<StopCause | undefined> {
    const over = ending.then(() => undefined);
    const overOrCancelled = untilAborted(over, signal, () => "cancelled" as const);
    let allowed = timeoutMs;
    let stopped = await within(allowed, overOrCancelled, () => "timed-out" as const);
    while (stopped === "timed-out" && timeoutMs + waitedMs() > allowed) {
        const more = Math.max(timeoutMs + waitedMs() - allowed, LOOK_MS);
        allowed += more;
        stopped = await within(more, overOrCancelled, () => "timed-out" as const);
    }
    return stopped;
}
