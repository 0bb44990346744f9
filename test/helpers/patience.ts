/**
 * How long a test waits for what is instant on a free machine, in milliseconds. A wait ends as soon
 * as its condition holds; mocha's timeout is longer, so that a failure says what was missing.
 */
export const PATIENCE_MS = 60_000;
