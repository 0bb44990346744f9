import { counted, formatUsd } from "../../base/format.js";
import type { TurnOutcome } from "./events.js";

/** Which limit of the run stopped a turn, and at what; `undefined` for other ends. */
export function limitSentence({
    stopReason,
    requests,
    costUsd,
}: Pick<TurnOutcome, "stopReason" | "requests" | "costUsd">): string | undefined {
    switch (stopReason) {
        case "max-turns":
            return `Stopped after ${counted(requests, "request")} (--max-turns).`;
        case "max-cost":
            return `Stopped after ${costUsd ? formatUsd(costUsd) : counted(requests, "request")} (--max-cost).`;
        case "timeout":
            return `Stopped after ${counted(requests, "request")} (--timeout).`;
        default:
            return undefined;
    }
}
