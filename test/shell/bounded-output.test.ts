import { expect } from "chai";
import fc from "fast-check";

import { BoundedOutput } from "../../src/shell/bounded-output.js";

const LIMIT = 300;
const KEPT_AT_EACH_END = 100;

function outputOf(bytes: Uint8Array, pieceLengths: readonly number[], limit?: number) {
    const output = new BoundedOutput(limit);
    let start = 0;
    for (let index = 0; start < bytes.length; index++) {
        const length = pieceLengths[index % pieceLengths.length] ?? 1;
        output.push(bytes.subarray(start, start + length));
        start += length;
    }
    return output;
}

const pieces = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });

describe("Bounded output", () => {
    it("Output that fits is returned whole, however it was split", () => {
        fc.assert(
            fc.property(fc.string({ unit: "binary", maxLength: 60 }), pieces, (text, lengths) => {
                const bytes = new TextEncoder().encode(text);
                fc.pre(bytes.length <= 2 * KEPT_AT_EACH_END);
                const output = outputOf(bytes, lengths, LIMIT);
                expect(output.text()).to.equal(
                    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
                );
                expect(output.truncated).to.equal(false);
            })
        );
    });

    it("The head and tail are kept in whole characters, and every byte between is counted", () => {
        const long = fc.string({ unit: "grapheme", minLength: 250, maxLength: 2000 });
        fc.assert(
            fc.property(long, pieces, (text, lengths) => {
                const bytes = new TextEncoder().encode(text);
                const output = outputOf(bytes, lengths, LIMIT);
                const result = output.text();
                const [, head = "", count, tail = ""] =
                    /^([^]*)\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n([^]*)$/.exec(result) ?? [];
                expect(output.truncated).to.equal(true);
                expect(text.startsWith(head) && text.endsWith(tail)).to.equal(true);
                expect(Buffer.byteLength(head + tail) + Number(count)).to.equal(bytes.length);
                expect(Buffer.byteLength(head)).to.be.within(
                    KEPT_AT_EACH_END - 3,
                    KEPT_AT_EACH_END
                );
                expect(Buffer.byteLength(result)).to.be.at.most(LIMIT);
            })
        );
    });

    it("At most a megabyte is kept", () => {
        const output = new BoundedOutput();
        for (let piece = 0; piece < 40; piece++) {
            output.push(Buffer.alloc(65_536, 97 + (piece % 26)));
        }
        expect(output.text()).to.have.lengthOf.within(990_000, 1_000_000);
        expect(output.text()).to.match(
            /^aaaa[^]*\[\.\.\. 1621540 bytes left out \.\.\.\][^]*nnnn$/
        );
    });

    it("Invalid UTF-8 is replaced, and NUL is kept", () => {
        const output = outputOf(Buffer.from([0x61, 0, 0xff, 0x62, 0xe2, 0x82]), [2]);
        expect(output.text()).to.equal("a\0\uFFFDb\uFFFD");
    });

    it("Without output the result is empty", () => {
        expect(new BoundedOutput().text()).to.equal("");
    });
});
