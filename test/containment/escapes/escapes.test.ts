import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describeContained } from "../../shell/containment/contained.js";
import type { Tried } from "./attempt-program.js";
import { attackers, HostilePlace, type Variant, VARIANTS } from "./hostile-place.js";
import { readAttempts } from "./read-attempts.js";

const PROGRAM = new URL("./attempt-program.ts", import.meta.url);
/** As the program calls it. */
const LEFTOVERS = "leftovers";
const ALL = Object.keys(VARIANTS) as Variant[];

/** Which of them, by file name, to look at one closely. */
const WANTED = new RegExp(process.env.NORTH_TEST_ATTEMPTS ?? "");

/** One machine after the other with NORTH_TEST_ALL, as in CI; else a plain one and the oddest. */
function machines(user: number): readonly (readonly Variant[])[] {
    if (process.env.NORTH_TEST_ALL) return ALL.map((variant) => [variant]);
    const odd = ALL.filter((variant) => !/plain|besides|usr/.test(variant));
    return user === 0 || attackers().length === 1 ? [["plain"]] : [odd];
}

describeContained("escapes", () => {
    const wanted = readAttempts().filter(({ file }) => WANTED.test(file));
    for (const user of attackers()) {
        for (const variants of machines(user)) {
            // Limits are the same on every machine, and wait for what exceeds them.
            const isPlain = variants.includes("plain");
            const attempts = wanted.filter(
                ({ limits }) => isPlain || Object.keys(limits).length === 0
            );
            const who = user === 0 ? "root" : `user ${user}`;
            describe(`as ${who}, ${variants.join(", ")}`, () => {
                let tried: ReadonlyMap<string, Tried>;

                before(async function () {
                    this.timeout(600_000);
                    const place = new HostilePlace(
                        user,
                        variants.map((variant) => VARIANTS[variant])
                    );
                    try {
                        const lines = await place.run<Tried>(PROGRAM, attempts);
                        tried = new Map(lines.map((line) => [line.file, line]));
                    } finally {
                        place.remove();
                    }
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
    }
});

describe("the standing adversary", () => {
    for (const page of ["SECURITY.md", "docs/security.md"]) {
        it(`The numbers in ${page} are those of the suite`, () => {
            const text = readFileSync(page, "utf8");
            const [, count] = /(\d+) (?:known escapes|scripts)/.exec(text) ?? [];
            expect(Number(count)).to.equal(readAttempts().length);
            const [, kinds] = /(\d+) kinds of\s+machine/.exec(text) ?? [];
            expect(Number(kinds)).to.equal(ALL.length);
        });
    }

    it("Every attempt has a name of its own", () => {
        const names = readAttempts().map(({ name }) => name);
        expect(new Set(names).size).to.equal(names.length);
    });
});
