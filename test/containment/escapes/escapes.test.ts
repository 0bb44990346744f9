import { expect } from "chai";
import { describeContained } from "../../shell/containment/contained.js";
import type { Tried } from "./attempt-program.js";
import { HostilePlace, isOpenToAll, usersToTry, type Variant, VARIANTS } from "./hostile-place.js";
import { readAttempts } from "./read-attempts.js";

const PROGRAM = new URL("./attempt-program.ts", import.meta.url);
const ALL = Object.keys(VARIANTS) as Variant[];

/** Which of them, by file name, to look at one closely. */
const WANTED = new RegExp(process.env.NORTH_TEST_ATTEMPTS ?? "");

/** One machine after the other with NORTH_TEST_ALL, as in CI; else a plain one and the oddest. */
function machines(user: number): readonly (readonly Variant[])[] {
    if (process.env.NORTH_TEST_ALL) return ALL.map((variant) => [variant]);
    const odd = ALL.filter((variant) => !/plain|besides|usr/.test(variant));
    return user === 0 || usersToTry().length === 1 ? [["plain"]] : [odd];
}

describeContained("escapes", () => {
    const attempts = readAttempts().filter(({ file }) => WANTED.test(file));
    for (const user of usersToTry().filter(
        (each) => each === process.getuid?.() || isOpenToAll()
    )) {
        for (const variants of machines(user)) {
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

                const leftovers = { file: "leftovers", name: "Nothing is left of the runs" };
                for (const { file, name } of [...attempts, leftovers]) {
                    it(name, () => {
                        const { escapes, output } = tried.get(file) ?? {};
                        expect(escapes, `${file}\n${output}`).to.deep.equal([]);
                    });
                }
            });
        }
    }
});
