/**
 * How long a test waits for what takes a moment on a free machine, in milliseconds. A wait ends as
 * soon as the thing happens; mocha's own limit is longer, so that a failure says what was missing.
 */
export const PATIENCE_MS = 60_000;
