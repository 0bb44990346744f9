import { expect } from "chai";
import { readBraces } from "../../src/code/braces.js";
import type { Section } from "../../src/code/section.js";

describe("Blocks in braces", () => {
    it("Blocks that are never closed reach to the end, however many there are", () => {
        const depth = 200_000;
        const style = { lineComments: true, type: "block", oneLineHeads: true } as const;
        const found: Section[] = readBraces("{\n".repeat(depth), style);
        // One in the other: the list grows while it is read.
        for (const { children } of found) found.push(...children);
        expect(found).to.have.lengthOf(depth);
        expect(new Set(found.map(({ endLine }) => endLine))).to.deep.equal(new Set([depth]));
    });
});
