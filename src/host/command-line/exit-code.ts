import { isExpectedError } from "../../base/north-error.js";

/** Error codes that mean wrong usage. */
const USAGE_CODES = new Set([
    ...["no-prompt", "not-a-terminal", "unknown-model", "no-thinking", "invalid-usage"],
]);

/** The exit code of a run that could not start: 2 for wrong usage, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
    return isExpectedError(error) && USAGE_CODES.has(error.code) ? 2 : 1;
}
