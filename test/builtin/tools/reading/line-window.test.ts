import { expect } from "chai";
import fc from "fast-check";
import {
    linePieces,
    prefixWithin,
    cutWindow,
    MAX_BYTES,
    MAX_LINES,
    shortenAround,
} from "../../../../src/code/text/line-window.js";
import { patient } from "../../../helpers/patience.js";

describe("Line windows", () => {
    it("A window holds the requested lines in order and says when some are missing", () => {
        const line = fc.oneof(
            fc.string(),
            fc.nat(60_000).map((length) => "é".repeat(length))
        );
        fc.assert(
            fc.property(fc.array(line, { minLength: 1 }), fc.nat(), fc.nat(), (lines, a, b) => {
                const start = 1 + (a % lines.length);
                const end = start + (b % (lines.length - start + 1));
                const window = cutWindow(lines, { start, end });

                expect(window.startLine).to.equal(start);
                expect(window.endLine).to.be.within(start, end);
                expect(window.endLine - start + 1).to.be.at.most(MAX_LINES);
                expect(Buffer.byteLength(window.content)).to.be.below(MAX_BYTES + 100);
                if (!window.truncated) {
                    expect(window.content).to.equal(lines.slice(start - 1, end).join("\n"));
                }
            })
        );
    });
});

describe("Cut text", () => {
    it("A cut text is the longest prefix that fits and never ends within a character", () => {
        const characters = fc.array(fc.constantFrom("a", "é", "€", "😀"));
        fc.assert(
            fc.property(characters, fc.nat(30), (array, limit) => {
                const text = array.join("");
                const cut = prefixWithin(text, limit);

                expect(text.startsWith(cut)).to.equal(true);
                expect(Buffer.byteLength(cut)).to.be.at.most(limit);
                const next = [...text.slice(cut.length)][0];
                if (next !== undefined) expect(Buffer.byteLength(cut + next)).to.be.above(limit);
            })
        );
    });

    it("The pieces of a line are made in linear time, and add up to it", () => {
        const line = "abc😀é".repeat(3_000_000);
        const start = process.cpuUsage();
        const pieces = linePieces(line);
        expect(process.cpuUsage(start).user / 1_000).to.be.below(patient(2_500));
        expect(pieces.join("") === line).to.equal(true);
        expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).to.be.at.most(
            MAX_BYTES
        );
    });

    it("A text cut around a place contains that place", () => {
        fc.assert(
            fc.property(fc.nat(5000), fc.nat(5000), (before, after) => {
                const line = `${"a".repeat(before)}X${"b".repeat(after)}`;
                expect(shortenAround(line, before, 100)).to.contain("X");
            })
        );
    });
});
