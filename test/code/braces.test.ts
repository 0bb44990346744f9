import { expect } from "chai";
import { readBraces } from "../../src/code/braces.js";
import { enclosingBlocks } from "../../src/code/enclosing.js";

const STYLE = { lineComments: true, type: "block", oneLineHeads: true } as const;

describe("Blocks in braces", () => {
    it("Blocks that are never closed reach to the end, however many there are", () => {
        const text = `${"{\n".repeat(200_000)}needle`;
        const sections = readBraces(text, STYLE);
        expect(sections).to.have.lengthOf(1);
        const { blocks } = enclosingBlocks(sections, text, "needle", "any");
        expect(blocks).to.have.lengthOf(1);
        expect(blocks[0]?.section).to.include({ endLine: 200_001 });
    });

    it("The blocks around a hundred thousand matches are found in linear time", () => {
        const text = `${"a {\n  needle\n}\n".repeat(130_000)}needle`;
        const sections = readBraces(text, STYLE);
        const { blocks, occurrences } = enclosingBlocks(sections, text, "needle", "any");
        expect([blocks.length, occurrences]).to.deep.equal([130_000, 130_001]);
    });

    it("A text full of unclosed URLs or of comment marks in strings is read in linear time", () => {
        const urls = readBraces(`${"url(a ".repeat(300_000)}\nblock {\n}\n`, STYLE);
        expect(urls.map(({ name }) => name)).to.deep.equal(["block"]);
        const marks = readBraces(`${'"/*" '.repeat(300_000)}\nblock("/*") {\n}\n`, STYLE);
        expect(marks.map(({ name }) => name)).to.deep.equal(['block("/*")']);
    });

    it("Text after a very deep block is read like text before it", () => {
        const deep = "{".repeat(10_000) + "}".repeat(10_000);
        const names = readBraces(`before {\n}\n${deep}\nafter {\n}\n`, STYLE).map(
            ({ name }) => name
        );
        expect(names).to.deep.equal(["before", "{}", "after"]);
    });
});
