import { counted, formatUsd } from "../../base/format.js";
import type { TurnOutcome } from "./events.js";

const LIMITS: ReadonlySet<string> = new Set(["max-turns", "max-cost", "timeout"]);

/** Says which limit stopped a turn, and at what amount; `undefined` for other stop reasons. */
export function limitSentence({
    stopReason,
    requests,
    costUsd,
}: Pick<TurnOutcome, "stopReason" | "requests" | "costUsd">): string | undefined {
    if (!LIMITS.has(stopReason)) return undefined;
    const isCost = stopReason === "max-cost" && costUsd;
    const spent = isCost ? formatUsd(costUsd) : counted(requests, "request");
    return `Stopped after ${spent} (--${stopReason}).`;
}
