import type { Mode, Usage } from "../../plugin/index.js";
import { isExpectedError } from "../../base/north-error.js";
import type { TurnOutcome, TurnStopReason } from "../../core/agent/events.js";

/** The one object that `json` prints, and the last line of `stream-json`. */
export interface PrintResult {
    readonly type: "result";
    /** The last assistant message. */
    readonly result: string;
    readonly conversationId: string | null;
    readonly model: string | null;
    readonly mode: Mode;
    /** Requests sent to the model. */
    readonly turns: number;
    readonly usage: Required<Usage>;
    /** US dollars; `null` where a price is unknown. */
    readonly costUsd: number | null;
    readonly durationMs: number;
    readonly stopReason: TurnStopReason;
    readonly isError: boolean;
    readonly error?: {
        readonly code: string;
        readonly message: string;
        readonly nextSteps: readonly string[];
    };
}

/** What is known of a run apart from its outcome. */
export interface RunFacts {
    readonly conversationId: string | null;
    readonly model: string | null;
    readonly mode: Mode;
    readonly durationMs: number;
}

const NO_USAGE: Required<Usage> = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWriteLongTokens: 0,
    outputTokens: 0,
};

const LIMITS: Partial<Record<TurnStopReason, string>> = {
    "max-turns": "Stopped at the limit of --max-turns.",
    "max-cost": "Stopped at the limit of --max-cost.",
    timeout: "Stopped at the limit of --timeout.",
    cancelled: "Interrupted.",
};

export function resultOf(outcome: TurnOutcome, facts: RunFacts): PrintResult {
    const isError = outcome.stopReason !== "end";
    return {
        type: "result",
        result: outcome.text,
        conversationId: facts.conversationId,
        model: facts.model,
        mode: facts.mode,
        turns: outcome.requests,
        usage: outcome.usage,
        costUsd: outcome.costUsd,
        durationMs: facts.durationMs,
        stopReason: outcome.stopReason,
        isError,
        ...(isError ? { error: errorOf(outcome) } : {}),
    };
}

/** A run that failed before a turn could begin. */
export function failureOf(error: unknown, facts: RunFacts): PrintResult {
    const outcome = {
        stopReason: "error",
        text: "",
        requests: 0,
        usage: NO_USAGE,
        costUsd: 0,
        error,
    };
    return resultOf({ ...outcome, stopReason: "error" }, facts);
}

function errorOf({ stopReason, error }: TurnOutcome) {
    if (isExpectedError(error)) {
        return { code: error.code, message: error.message, nextSteps: error.nextSteps };
    }

    const limit = LIMITS[stopReason];
    if (limit) return { code: stopReason, message: limit, nextSteps: [] };
    const message = error instanceof Error ? error.message : String(error);
    return { code: "internal-error", message, nextSteps: ["See north.log for the details."] };
}
