import { isExpectedError } from "../../base/north-error.js";

/** Codes of failures that mean that North was called wrongly. */
const USAGE_CODES = new Set([
    ...["no-prompt", "not-a-terminal", "unknown-model", "no-thinking", "invalid-usage"],
]);

/** How a run exits that could not be begun: 2 where it was called wrongly, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
    return isExpectedError(error) && USAGE_CODES.has(error.code) ? 2 : 1;
}
