/**
 * `npm test` samples tests that repeat one scenario, which would take half of its time. CI and mocha
 * alone run all of them.
 */
const isSampled = process.env.NORTH_TEST_SAMPLE === "1";
const SAMPLE = 4;

/** All repetitions, or the first, the last and two between. */
export function sampled<Case>(all: readonly Case[], size = SAMPLE): readonly Case[] {
    if (!isSampled || all.length <= size) return all;
    const step = (all.length - 1) / Math.max(1, size - 1);
    return Array.from({ length: size }, (_, index) => all[Math.round(index * step)]!);
}

/** How often to try a property: a quarter of the runs, as the seed is fixed. */
export function sampledRuns(runs: number): number {
    return isSampled ? Math.ceil(runs / SAMPLE) : runs;
}

/** To which next moment a test of all moments goes. */
export const MOMENT_STEP = isSampled ? SAMPLE : 1;

/** A test whose scenario another one runs too, in less time. */
export function itUnsampled(title: string, test: Mocha.AsyncFunc): Mocha.Test {
    // Read here, as programs of tests load this file too, without mocha.
    return (isSampled ? it.skip : it)(title, test);
}
