/** Set by `scripts/test.js`: how many times slower than an ordinary machine this one is. */
const { NORTH_TEST_SLOWNESS: slowness = "1" } = process.env;

/** How long a test may take whose work takes so long on an ordinary machine that is busy. */
export function patient(milliseconds: number): number {
    return milliseconds * Number(slowness);
}

/**
 * How long a test waits for what is instant on a free machine, in milliseconds. A wait ends as soon
 * as its condition holds; mocha's timeout is longer, so that a failure says what was missing.
 */
export const PATIENCE_MS = patient(60_000);
