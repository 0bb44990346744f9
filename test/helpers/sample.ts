/**
 * `npm test` samples what takes most of its time: repetitions of one scenario, and tests of whole
 * programs. The sample changes with the commit, so that over time everything runs. Mocha alone
 * runs all of them, and so does CI unless the machine is slow.
 */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import path from "node:path";

/** Set by `scripts/test.js`: the number of the commit, where to report, and files to run whole. */
const { NORTH_TEST_SAMPLE: commit, NORTH_TEST_SAMPLED: report } = process.env;
/** Set by `.ci/run`: from when on no further file begins, in milliseconds since 1970. */
const { NORTH_TEST_UNTIL: until = "Infinity" } = process.env;
const whole = new Set(process.env.NORTH_TEST_WHOLE?.split("\n"));
export const isSampled = commit !== undefined;
const SAMPLE = 4;
/** Files that start programs, terminals or sandboxes: one of so many tests runs, at least one a file. */
const PROGRAMS = /^test\/(?:acp|bin|chat|containment|e2e|shell\/containment)\/|^plugins\//;
const PROGRAM_SAMPLE = 8;

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

/** The steps at which to kill a program whose number of steps is unknown, from 1 without end. */
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

/** Leaves some tests of whole programs in each file, other ones with each commit. */
export function sampleTests(suite: Mocha.Suite): void {
    if (!isSampled) return;
    const chosen = new Set<Mocha.Test>();
    const isLate = Date.now() > Number(until);
    for (const [file, tests] of testsByFile(suite)) {
        if (isLate) {
            tell(0, tests.length, file);
            continue;
        }
        const isWhole = !PROGRAMS.test(file) || whole.has(file);
        const step = isWhole ? 1 : Math.min(PROGRAM_SAMPLE, tests.length);
        // What tests cost is not to depend on the commit: each file begins elsewhere.
        const start = (Number(commit) + createHash("sha1").update(file).digest()[0]!) % step;
        for (let index = start; index < tests.length; index += step) chosen.add(tests[index]!);
        tell(Math.ceil((tests.length - start) / step), tests.length);
    }
    const thin = (part: Mocha.Suite): void => {
        part.tests = part.tests.filter((test) => chosen.has(test));
        part.suites.forEach(thin);
    };
    thin(suite);
}

function testsByFile(suite: Mocha.Suite): Map<string, Mocha.Test[]> {
    const files = new Map<string, Mocha.Test[]>();
    suite.eachTest((test) => {
        // By `itUnsampled`.
        if (test.isPending()) return;
        const file = path.relative(process.cwd(), test.file ?? "");
        files.set(file, [...(files.get(file) ?? []), test]);
    });
    return files;
}

/** Counts for the line at the end of `npm test`, with the file for which no time was left. */
function tell(chosen: number, all: number, late = ""): void {
    if (report !== undefined && chosen < all) appendFileSync(report, `${chosen} ${all} ${late}\n`);
}
