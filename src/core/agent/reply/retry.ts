import type { ExpectedError } from "../../../plugin/index.js";
import { isExpectedError, NorthError } from "../../../base/north-error.js";

/** Consecutive retries after the first attempt. */
const MAX_RETRIES = 3;
const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;

/** After a failed attempt: send the same request again, or fail with a final error. */
export type RetryDecision =
    | { readonly kind: "retry"; readonly error: ExpectedError; readonly delayMs: number }
    | { readonly kind: "give-up"; readonly error: unknown };

/** Decides after the failure of attempt `attempt` (1-based). */
export function retryDecision(
    error: unknown,
    attempt: number,
    random: () => number
): RetryDecision {
    if (!isExpectedError(error) || error.retryable !== true) return { kind: "give-up", error };
    const delayMs = attempt > MAX_RETRIES ? undefined : retryDelay(error, attempt, random);
    if (delayMs !== undefined) return { kind: "retry", error, delayMs };
    return { kind: "give-up", error: withHistory(error, attempt) };
}

/**
 * Milliseconds to wait: exponential back-off with jitter, or the vendor's delay if longer.
 * `undefined` if the vendor's delay is unreasonable.
 */
function retryDelay(
    error: ExpectedError,
    attempt: number,
    random: () => number
): number | undefined {
    const backOff = FIRST_DELAY * 2 ** (attempt - 1) * (0.75 + random() / 2);
    const wanted = error.retryAfterMs ?? 0;
    if (wanted > 2 * MAX_DELAY) return undefined;
    return Math.round(Math.max(Math.min(backOff, MAX_DELAY), wanted));
}

function withHistory(error: ExpectedError, attempt: number): ExpectedError {
    const { code, message, nextSteps, retryAfterMs = 0 } = error;
    const tries = attempt > 1 ? ` It was tried ${attempt} times.` : "";
    const minutes = Math.ceil(retryAfterMs / 60_000);
    const wait = minutes > 1 ? ` It asks to wait for ${minutes} minutes.` : "";
    const steps = nextSteps.length > 0 ? nextSteps : ["Send the message again in a while."];
    const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
    return new NorthError(code, `${sentence}${tries}${wait}`, steps, { cause: error });
}
