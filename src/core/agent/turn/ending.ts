import type { ObservedEvent } from "../../../plugin/index.js";
import { isExpectedError, NorthError } from "../../../base/north-error.js";
import type { TurnOutcome, TurnStopReason } from "../events.js";
import { isEdit } from "../../draft/open-draft.js";
import { errorCodeOf } from "../reply/receive-reply.js";
import type { Reply } from "../reply/stream-reply.js";
import { type Turn, TurnStopped } from "../turn.js";
import { CONTEXT_OVERFLOW, overflow } from "./context-room.js";
import { BUDGET_SPENT, LOOP, MAX_TURNS } from "./limits.js";

export type Ending = Pick<TurnOutcome, "stopReason" | "error">;

const STOP_REASONS: ReadonlyMap<string, TurnStopReason> = new Map([
    ["refused", "refused"],
    ["max-output", "max-output"],
    [BUDGET_SPENT, "max-cost"],
    [CONTEXT_OVERFLOW, "context-overflow"],
    [LOOP, "loop"],
    [MAX_TURNS, "max-turns"],
]);

/** The end that an error has brought, or the cancel behind it. */
export function endingOf({ signal }: Pick<Turn, "signal">, error: unknown): Ending {
    if (!signal.aborted) {
        const code = isExpectedError(error) ? error.code : "";
        return { stopReason: STOP_REASONS.get(code) ?? "error", error };
    }
    const { reason } = signal;
    return { stopReason: reason instanceof TurnStopped ? reason.stopReason : "cancelled" };
}

/** Why a reply is incomplete; `undefined` if it is complete. */
export function stopFailure({ stopReason, stopDetail }: Reply): NorthError | undefined {
    switch (stopReason) {
        case "refused": {
            const why = stopDetail === undefined ? "" : `: ${stopDetail.replace(/\.$/, "")}`;
            return new NorthError(stopReason, `The model refused to answer${why}.`, [
                "Rephrase it, or choose another model with /model or --model.",
            ]);
        }
        case "max-output":
            return new NorthError(
                stopReason,
                "The answer was cut off: it reached the model's limit for one reply.",
                ["Ask the model to continue, or for less at a time."]
            );
        case "context-overflow":
            return overflow();
        case "end":
        case "paused":
        case "tool-calls":
            return undefined;
        default:
            return stopReason satisfies never;
    }
}

/** The model gave no answer, even when asked again. */
export function emptyReply({ stopDetail }: Reply): NorthError {
    const why = stopDetail === undefined ? "" : ` The server's reason: ${stopDetail}.`;
    return new NorthError("empty-reply", `The model's reply was empty twice.${why}`, [
        "Send the message again, or choose another model with /model or --model.",
    ]);
}

/** The evidence that the turn's edits work, or not; `undefined` without edits. */
export async function evidenceSince({ conversation, project }: Turn, from: number) {
    const { entries } = conversation.state;
    if (!entries.slice(from).some(isEdit)) return undefined;
    const { evidenceOf } = await import("../../history/evidence.js");
    return evidenceOf(entries, from, project.readChecks);
}

export function turnFinished(
    outcome: TurnOutcome | undefined,
    turnId: string,
    at: number
): ObservedEvent {
    const {
        stopReason = "cancelled",
        requests = 0,
        usage = {},
        costUsd = 0,
        error,
    } = outcome ?? {};
    const counts = { requests, usage, costUsd };
    const failure = error === undefined ? {} : { errorCode: errorCodeOf(error) };
    return { type: "turn-finished", at, turnId, stopReason, ...counts, ...failure };
}
