import type { ExpectedError } from "../../plugin/index.js";
import { isExpectedError } from "../../plugin/north-error.js";

/** Attempts after the first, in a row. */
export const MAX_RETRIES = 3;
const FIRST_DELAY = 1_000;
const MAX_DELAY = 30_000;

/** An error after which the same request may be sent again. */
export function isRetryable(error: unknown): error is ExpectedError {
    return isExpectedError(error) && error.retryable === true;
}

/**
 * Milliseconds to wait before attempt `attempt` (1-based): doubling with jitter, or what the vendor
 * asked for where that is longer. `undefined` gives up: the vendor asks for more than the limit.
 */
export function retryDelay(
    error: ExpectedError,
    attempt: number,
    random: () => number
): number | undefined {
    if (attempt > MAX_RETRIES) return undefined;
    const backOff = FIRST_DELAY * 2 ** (attempt - 1) * (0.75 + random() / 2);
    const wanted = error.retryAfterMs ?? 0;
    if (wanted > 2 * MAX_DELAY) return undefined;
    return Math.round(Math.max(Math.min(backOff, MAX_DELAY), wanted));
}
