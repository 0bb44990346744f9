import { expect } from "chai";
import fc from "fast-check";
import { minimize } from "../../../src/core/diff/delta-debugging.js";

/** Groups of atoms of which all or none must be kept, as a call and its function. */
const planted = fc.integer({ min: 1, max: 40 }).chain((count) =>
    fc.record({
        count: fc.constant(count),
        needed: fc.uniqueArray(fc.nat(count - 1), { minLength: 1 }),
        pairs: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 6 }),
    })
);

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("Delta debugging", () => {
    it("Needed atoms are never left out, unneeded ones are found, within n² + 3n tests", async () => {
        await fc.assert(
            fc.asyncProperty(planted, async ({ count, needed, pairs }) => {
                let tests = 0;
                const holds = (kept: ReadonlySet<number>) =>
                    needed.every((atom) => kept.has(atom)) &&
                    pairs.every(([one, other]) => kept.has(one) === kept.has(other));
                const found = await minimize(range(count), async (kept) => {
                    tests += 1;
                    return holds(new Set(kept));
                });
                const kept = new Set(found.needed);
                expect(holds(kept)).to.equal(true);
                expect(found.isMinimal).to.equal(true);
                expect(found.needed).to.deep.equal([...found.needed].sort((a, b) => a - b));
                if (found.needed.length > 1) {
                    for (const atom of found.needed) {
                        expect(holds(new Set([...kept].filter((each) => each !== atom)))).to.equal(
                            false
                        );
                    }
                }
                if (pairs.length === 0) expect(found.needed).to.have.members(needed);
                expect(tests).to.be.at.most(count * count + 3 * count);
            })
        );
    });

    it("One needed atom of 1,024 is found in 20 tests at most", async () => {
        for (const planted of [0, 1, 511, 512, 700, 1_023]) {
            let tests = 0;
            const { needed } = await minimize(range(1_024), async (kept) => {
                tests += 1;
                return kept.includes(planted);
            });
            expect(needed).to.deep.equal([planted]);
            expect(tests).to.be.at.most(20);
        }
    });

    it("Once tests end, the smallest part found so far is returned, and not as minimal", async () => {
        let tests = 0;
        const found = await minimize(range(64), async (kept) => {
            tests += 1;
            return tests > 2 ? undefined : kept.includes(3);
        });
        expect(found).to.deep.equal({ needed: range(16), isMinimal: false });
    });
});
