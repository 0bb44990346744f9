import { expect } from "chai";
import fc from "fast-check";

import { layOut, wrapText } from "../../../src/chat/composer/layout.js";
import { loadWidths, textWidth } from "../../../src/chat/terminal/graphemes.js";

const pieces = fc.constantFrom("a", "word ", "\n", "漢", "👩‍👩‍👧", "-");
const texts = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(""));
const widths = fc.integer({ min: 2, max: 20 });

function boundaryAt(text: string, share: number): number {
    const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
    const places = [...Array.from(segments, ({ index }) => index), text.length];
    return places[Math.floor(share * (places.length - 1))]!;
}

describe("layOut", () => {
    before(loadWidths);

    it("No row is wider than the width, and every character appears once", () => {
        fc.assert(
            fc.property(texts, widths, (text, width) => {
                const { rows } = layOut(text, text.length, width, 1000);
                expect(Math.max(...rows.map(textWidth))).to.be.at.most(width);
                expect(rows.join("")).to.equal(text.replaceAll("\n", ""));
            })
        );
    });

    it("The cursor stands right after the characters before it", () => {
        fc.assert(
            fc.property(
                texts,
                widths,
                fc.double({ min: 0, max: 1, noNaN: true }),
                (text, width, share) => {
                    const cursor = boundaryAt(text, share);
                    const layout = layOut(text, cursor, width, 1000);
                    const { row, column } = layout.cursor;
                    const before = layout.rows.slice(0, row).join("");
                    const own = cutAtColumn(layout.rows[row]!, column);
                    expect(before + own).to.equal(text.slice(0, cursor).replaceAll("\n", ""));
                    expect(column).to.be.below(width);
                }
            )
        );
    });

    it("A window of any height shows the cursor's row and counts the hidden rows", () => {
        fc.assert(
            fc.property(
                texts,
                widths,
                fc.double({ min: 0, max: 1, noNaN: true }),
                fc.integer({ min: 1, max: 6 }),
                (text, width, share, maxRows) => {
                    const layout = layOut(text, boundaryAt(text, share), width, maxRows);
                    expect(layout.rows.length).to.be.within(1, maxRows);
                    expect(layout.cursor.row).to.be.within(0, layout.rows.length - 1);
                    const lines = text.split("\n").length;
                    expect(layout.linesAbove + layout.linesBelow).to.be.below(lines);
                }
            )
        );
    });

    it("The window around the cursor is filled", () => {
        const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
        const atStart = layOut(text, 0, 20, 3);
        expect(atStart.rows).to.deep.equal(["line 1", "line 2", "line 3"]);
        expect(atStart).to.include({ linesAbove: 0, linesBelow: 97 });
        const atEnd = layOut(text, text.length, 20, 3);
        expect(atEnd.rows).to.deep.equal(["line 98", "line 99", "line 100"]);
        expect(atEnd).to.include({ linesAbove: 97, linesBelow: 0 });
    });

    it("The cursor gets a row of its own after a full row", () => {
        expect(layOut("abcd", 4, 4, 10)).to.deep.include({
            rows: ["abcd", ""],
            cursor: { row: 1, column: 0 },
        });
    });

    it("A tab is drawn as four spaces", () => {
        expect(wrapText("\tx", 20)).to.deep.equal(["    x"]);
    });
});

function cutAtColumn(row: string, column: number): string {
    let own = "";
    for (const { segment } of new Intl.Segmenter().segment(row)) {
        if (textWidth(own) >= column) break;
        own += segment;
    }
    return own;
}
