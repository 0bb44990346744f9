import type { TurnOutcome } from "../../core/agent/events.js";
import { TurnStopped } from "../../core/agent/turn.js";
import { NO_USAGE } from "../../core/costs/price.js";

/** The outcome of a turn that could not begin, or was stopped before it had. */
export function failedTurn(error: unknown, { aborted, reason }: AbortSignal): TurnOutcome {
    const stopped = reason instanceof TurnStopped ? reason.stopReason : "cancelled";
    return {
        stopReason: aborted ? stopped : "error",
        text: "",
        requests: 0,
        usage: NO_USAGE,
        costUsd: 0,
        ...(aborted ? {} : { error }),
    };
}
