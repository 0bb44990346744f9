import { untilAborted, within } from "../base/waiting.js";

export type StopReason = "timed-out" | "cancelled";

export interface StopConditions {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
}

export function stopFlags(stopped: StopReason | undefined) {
    return {
        ...(stopped === "timed-out" && { timedOut: true }),
        ...(stopped === "cancelled" && { cancelled: true }),
    };
}

/** Resolves with `undefined` if the command ends before its timeout or abort. */
export function stopOf(
    ending: Promise<unknown>,
    { timeoutMs, signal }: StopConditions
): Promise<StopReason | undefined> {
    const over = ending.then(() => undefined);
    const overOrCancelled = untilAborted(over, signal, () => "cancelled" as const);
    return within(timeoutMs, overOrCancelled, () => "timed-out" as const);
}
