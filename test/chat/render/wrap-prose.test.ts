import { expect } from "chai";
import fc from "fast-check";

import { wrapProse } from "../../../src/chat/render/wrap-prose.js";
import { loadWidths, textWidth } from "../../../src/chat/terminal/graphemes.js";
import { stripControls } from "../../../src/base/safe-text.js";

const word = fc.constantFrom(
    ..."a in the word, (wrapped) punctuation-heavy 漢字かな 「引用」。 👩‍👩‍👧 e\u0301clair".split(" "),
    "\u001b[1mbold\u001b[22m",
    "half\u001b[31mred",
    "rest\u001b[39m",
    "https://example.org/a/very/long/address"
);
const lead = fc.constantFrom(
    ...["", "- ", "  • ", "10. ", "│ │ ", "    ", "✘ ", "> - "],
    ...["  one two    ", `  ${"key".repeat(8)}  `, " ".repeat(30), "• ".repeat(12), "  a  b  c  "]
);
const line = fc.tuple(lead, fc.array(word, { minLength: 1, maxLength: 30 }));
const width = fc.integer({ min: 30, max: 80 });
const solid = (text: string): string => stripControls(text).replace(/[\s│>]/g, "");

describe("Wrapping prose", () => {
    before(loadWidths);

    it("Wrapping loses nothing, and only a single word may exceed the width", () => {
        fc.assert(
            fc.property(line, width, fc.nat(4), ([start, words], columns, taken) => {
                const rows = wrapProse(start + words.join(" "), columns, taken);
                expect(solid(rows.join(""))).to.equal(solid(start + words.join("")));
                for (const [index, row] of rows.entries()) {
                    const room = columns - (index === 0 ? taken : 0);
                    const fits = textWidth(row) <= room || /address\S*$/.test(stripControls(row));
                    expect(fits, JSON.stringify(rows)).to.equal(true);
                }
            })
        );
    });

    it("A line of thousands of list marks is wrapped like words, whatever stands before it", () => {
        for (const mark of ["! ", "- ", "→ ", "  a  "]) {
            for (const start of ["", " ".repeat(200), "> "]) {
                const text = `${start}${mark.repeat(19_000 / mark.length)}`.trimEnd();
                const rows = wrapProse(text, 60);
                expect(solid(rows.join(""))).to.equal(solid(text));
                expect(Math.max(...rows.map(textWidth))).to.be.at.most(60);
            }
        }
    });

    it("Wrapped list items are indented, and wrapped quotes repeat their bars", () => {
        expect(wrapProse("  10. the tenth of the items", 20)).to.deep.equal([
            "  10. the tenth of",
            "the items",
        ]);
        expect(wrapProse("  10. the tenth of the items here", 27)).to.deep.equal([
            "  10. the tenth of the",
            "      items here",
        ]);
        expect(wrapProse("│ a quotation that is long enough", 24)).to.deep.equal([
            "│ a quotation that is",
            "│ long enough",
        ]);
        expect(wrapProse("  /help [NAME]   says what the command does", 38)).to.deep.equal([
            "  /help [NAME]   says what the command",
            "                 does",
        ]);
        expect(wrapProse("✘ a failure that is told at length", 24)).to.deep.equal([
            "✘ a failure that is told",
            "  at length",
        ]);
    });

    it("A second column without room beside the first goes below it", () => {
        const rows = [
            "  Shift+Tab             switch between ask, plan, draft and agent",
            "  Ctrl+V                paste an image",
            "                        edit as in readline, wherever that is",
        ];
        expect(wrapProse(rows.join("\n"), 39)).to.deep.equal([
            "  Shift+Tab",
            "    switch between ask, plan, draft and",
            "    agent",
            "  Ctrl+V                paste an image",
            "    edit as in readline, wherever that",
            "    is",
        ]);
        expect(wrapProse(rows.join("\n"), 60)[1]).to.equal(`${" ".repeat(24)}agent`);
    });

    it("Text without spaces breaks between characters, but not before a full stop", () => {
        expect(wrapProse("日本語のテキスト。「単語」の間", 16)).to.deep.equal([
            "日本語のテキス",
            "ト。「単語」の間",
        ]);
    });

    it("A URL stays in one piece", () => {
        const address = `https://example.org/${"a".repeat(30)}`;
        expect(wrapProse(`see ${address} and more`, 24)).to.deep.equal([
            `see ${address}`,
            "and more",
        ]);
    });

    it("Colours end with their row and resume on the next", () => {
        expect(wrapProse("one \u001b[1mtwo three\u001b[22m four", 9)).to.deep.equal([
            "one \u001b[1mtwo\u001b[0m",
            "\u001b[1mthree\u001b[22m",
            "four",
        ]);
    });
});
