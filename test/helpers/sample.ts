/**
 * `npm test` samples what takes most of its time: repetitions of one scenario, and tests of whole
 * programs. The sample changes with the commit, so that over time everything runs. CI and mocha
 * alone run all of them.
 */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import path from "node:path";

/** Set by `scripts/test.js`: the number of the commit, where to report, and files to run whole. */
const { NORTH_TEST_SAMPLE: commit, NORTH_TEST_SAMPLED: report } = process.env;
const whole = new Set(process.env.NORTH_TEST_WHOLE?.split("\n"));
export const isSampled = commit !== undefined;
const SAMPLE = 4;
/** Tests that start programs, terminals or sandboxes, at least one of which each file runs. */
const PROGRAMS = /^test\/(?:e2e|chat|shell\/containment)\/|^plugins\//;
const PROGRAM_SHARE = 1 / 4;

/** All repetitions, or at most `size` of them, spread evenly. */
export function sampled<Case>(all: readonly Case[], size = SAMPLE): readonly Case[] {
    const step = isSampled ? Math.ceil(all.length / size) : 1;
    const chosen = all.filter((_, index) => index % step === Number(commit ?? 0) % step);
    tell(chosen.length, all.length);
    return chosen;
}

/** How often to try a property: some of the runs, always the first ones, as the seed is fixed. */
export function sampledRuns(runs: number, size = Math.ceil(runs / SAMPLE)): number {
    const chosen = isSampled ? size : runs;
    tell(chosen, runs);
    return chosen;
}

/** The steps at which to interrupt something whose number of steps is unknown, from 1 without end. */
export function* sampledSteps(): Generator<number, never> {
    const step = isSampled ? SAMPLE : 1;
    for (let at = 1 + (Number(commit ?? 0) % step); ; at += step) yield at;
}

/** A test whose scenario another one runs too, in less time. */
export function itUnsampled(title: string, test: Mocha.AsyncFunc): Mocha.Test {
    tell(isSampled ? 0 : 1, 1);
    // Read here, as programs of tests load this file too, without mocha.
    return (isSampled ? it.skip : it)(title, test);
}

/** Leaves a share of the tests in files of whole programs, other ones with each commit. */
export function sampleTests(suite: Mocha.Suite): void {
    if (!isSampled) return;
    const ranks = new Map<string, string[]>();
    const rank = (test: Mocha.Test) =>
        createHash("sha1").update(`${commit} ${test.fullTitle()}`).digest("hex");
    suite.eachTest((test) => {
        const file = path.relative(process.cwd(), test.file ?? "");
        if (!PROGRAMS.test(file) || whole.has(file)) return;
        ranks.set(test.file ?? "", [...(ranks.get(test.file ?? "") ?? []), rank(test)].sort());
    });
    const isChosen = (test: Mocha.Test) => {
        const all = ranks.get(test.file ?? "");
        return all === undefined || all.indexOf(rank(test)) < all.length * PROGRAM_SHARE;
    };
    const thin = (part: Mocha.Suite): void => {
        const chosen = part.tests.filter(isChosen);
        tell(chosen.length, part.tests.length);
        part.tests = chosen;
        part.suites.forEach(thin);
    };
    thin(suite);
}

/** Counts for the line at the end of `npm test`. */
function tell(chosen: number, all: number): void {
    if (report !== undefined && chosen < all) appendFileSync(report, `${chosen} ${all}\n`);
}
