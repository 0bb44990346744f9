import { expect } from "chai";
import { patient } from "../../helpers/patience.js";
import { isSampled, sampled } from "../../helpers/sample.js";
import { describeContained } from "../../shell/containment/contained.js";
import type { Tried } from "./attempt-program.js";
import { attackers, HostilePlace, type Variant, VARIANTS } from "./hostile-place.js";
import { type Attempt, needsSession, readAttempts, type Trials } from "./read-attempts.js";

const PROGRAM = new URL("./attempt-program.ts", import.meta.url);
/** As the program calls it. */
const LEFTOVERS = "leftovers";
const ALL = Object.keys(VARIANTS) as Variant[];
/** How many attempts a sample tries. */
const SAMPLE = 50;

/** Which of them, by file name, to look at one closely. */
const { NORTH_TEST_ATTEMPTS } = process.env;
const WANTED = new RegExp(NORTH_TEST_ATTEMPTS ?? "");

/** What each attempt achieved on one machine. */
type Outcome = ReadonlyMap<string, Tried>;

/** Tries every attempt on every machine, as one user. */
export function tryEscapes(user: number): void {
    const who = user === 0 ? "root" : `user ${user}`;
    describeContained(`escapes as ${who}`, () => {
        let alone: Outcome | undefined;
        for (const [index, variants] of machines(user).entries()) {
            const attempts = attemptsOn(variants);
            describe(`as ${who}, ${variants.join(", ")}`, () => {
                let tried: Outcome;

                before(async function () {
                    this.timeout(patient(600_000));
                    const trials = alone
                        ? sharing(attempts, alone, index)
                        : { single: attempts, shared: [] };
                    tried = await tryOn(user, variants, trials);
                    alone ??= tried;
                });

                it("Nothing is left of the runs", () => {
                    expect(tried.get(LEFTOVERS)?.escapes).to.deep.equal([]);
                });

                for (const { file, name } of attempts) {
                    it(name, () => {
                        const { escapes, output } = tried.get(file) ?? {};
                        expect(escapes, `${file}\n${output}`).to.deep.equal([]);
                    });
                }
            });
        }
    });
}

function attemptsOn(variants: readonly Variant[]): readonly Attempt[] {
    const wanted = readAttempts().filter(({ file }) => WANTED.test(file));
    // Limits are the same on every machine, and wait for what exceeds them.
    const limited = wanted.filter(({ limits }) => Object.keys(limits).length > 0);
    const others = wanted.filter((attempt) => !limited.includes(attempt));
    const here = NORTH_TEST_ATTEMPTS === undefined ? sampled(others, SAMPLE) : others;
    return variants.includes("plain") ? [...limited, ...here] : here;
}

/** One machine after the other; where these are sampled, a plain one and the oddest. */
function machines(user: number): readonly (readonly Variant[])[] {
    if (!isSampled) return ALL.map((variant) => [variant]);
    const odd = ALL.filter((variant) => !/plain|besides|usr|without/.test(variant));
    return user === 0 || attackers().length === 1 ? [["plain"]] : [odd];
}

async function tryOn(user: number, variants: readonly Variant[], trials: Trials) {
    const place = new HostilePlace(
        user,
        variants.map((variant) => VARIANTS[variant])
    );
    try {
        const lines = await place.run<Tried>(PROGRAM, trials);
        return new Map(lines.map((line) => [line.file, line]));
    } finally {
        place.remove();
    }
}

/**
 * How to try attempts that were tried alone on another machine: those without a session of their own
 * share runs, in reverse on every second machine, so that no attempt always follows the same others.
 */
function sharing(attempts: readonly Attempt[], alone: Outcome, index: number): Trials {
    const together = attempts.filter((attempt) => !needsSession(attempt));
    if (index % 2 === 1) together.reverse();
    return {
        single: attempts.filter(needsSession),
        shared: [false, true].map((isRefused) => ({
            isRefused,
            attempts: together.filter(({ file }) => alone.get(file)?.isRefused === isRefused),
        })),
    };
}
