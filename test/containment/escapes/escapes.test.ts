import { readFileSync } from "node:fs";
import { expect } from "chai";
import { attackers, VARIANTS } from "./hostile-place.js";
import { readAttempts } from "./read-attempts.js";
import { tryEscapes } from "./try-escapes.js";

for (const user of attackers().slice(0, 1)) tryEscapes(user);

describe("the standing adversary", () => {
    for (const page of ["SECURITY.md", "docs/security.md"]) {
        it(`The numbers in ${page} are those of the suite`, () => {
            const text = readFileSync(page, "utf8");
            const [, count] = /(\d+) (?:known escapes|scripts)/.exec(text) ?? [];
            expect(Number(count)).to.equal(readAttempts().length);
            const [, kinds] = /(\d+) kinds of\s+machine/.exec(text) ?? [];
            expect(Number(kinds)).to.equal(Object.keys(VARIANTS).length);
        });
    }

    it("Every attempt has its own name", () => {
        const names = readAttempts().map(({ name }) => name);
        expect(new Set(names).size).to.equal(names.length);
    });
});
