import { expect } from "chai";
import fc from "fast-check";

import { InputSplitter, type InputPiece } from "../../../src/chat/terminal/input-splitter.js";

const inputs = fc.array(
    fc.constantFrom(
        "a",
        "é",
        "漢",
        "\r",
        "\u001b[A",
        "\u001b[1;5C",
        "\u001bOP",
        "\u001b[13;2u",
        "\u001b[27;2;13~",
        "\u001bb",
        "\u001b[200~one\rtwo\u001b[Athree\u001b[201~"
    ),
    { minLength: 1, maxLength: 12 }
);

/** Adjacent text is one piece, wherever the chunks were cut. */
function joined(pieces: readonly InputPiece[]): string[] {
    const result: string[] = [];
    let text = "";
    for (const piece of pieces) {
        if (piece.type === "text") {
            text += piece.text;
        } else {
            if (text !== "") result.push(`text ${text}`);
            text = "";
            result.push(`${piece.type} ${piece.text}`);
        }
    }
    return text === "" ? result : [...result, `text ${text}`];
}

function pushAll(chunks: readonly string[]): InputPiece[] {
    const splitter = new InputSplitter();
    const pieces = chunks.flatMap((chunk) => splitter.push(chunk));
    return [...pieces, ...splitter.flush()];
}

describe("InputSplitter", () => {
    it("Any split of the input gives the same tokens", () => {
        fc.assert(
            fc.property(inputs, fc.array(fc.nat(80), { maxLength: 8 }), (parts, places) => {
                const whole = parts.join("");
                const cuts = [0, ...places.map((place) => place % whole.length), whole.length];
                cuts.sort((a, b) => a - b);
                const chunks = cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut));
                fc.pre(chunks.every((chunk) => !/\r[^\r\n]/.test(chunk)));
                const single = parts.map((part) => part);
                expect(joined(pushAll(chunks))).to.deep.equal(joined(pushAll(single)));
            })
        );
    });

    it("A paste is one token, with its keys as text", () => {
        expect(pushAll(["\u001b[20", "0~a\r\u001b[Ab", "\u001b[20", "1~c"])).to.deep.equal([
            { type: "paste", text: "a\r\u001b[Ab", isMarked: true },
            { type: "text", text: "c" },
        ]);
    });

    it("Lines that arrive at once count as a paste, even unmarked", () => {
        for (const text of ["one\rtwo\rthree", `${"long ".repeat(20)}\rtwo`]) {
            expect(pushAll([text])).to.deep.equal([{ type: "paste", text, isMarked: false }]);
        }

        for (const text of ["one\r", "one\rtwo"]) {
            expect(pushAll([text])).to.deep.equal([{ type: "text", text }]);
        }
    });

    it("A lone Escape is emitted when nothing follows", () => {
        const splitter = new InputSplitter();
        expect(splitter.push("\u001b")).to.deep.equal([]);
        expect(splitter.isHolding).to.equal(true);
        expect(splitter.flush()).to.deep.equal([{ type: "sequence", text: "\u001b" }]);
        expect(splitter.isHolding).to.equal(false);
    });

    it("Input that cannot start a sequence is emitted at once", () => {
        const splitter = new InputSplitter();
        const pieces = splitter.push(`\u001b[${"0".repeat(100)}`);
        expect(joined(pieces).join("")).to.contain("0000");
        expect(splitter.isHolding).to.equal(false);
    });

    it("A marked paste of many megabytes is read in linear time, wherever its end mark is cut", () => {
        const chunk = "x".repeat(4_095);
        const chunks = Array<string>(4_000).fill(chunk);
        for (const cut of [1, 3, 5]) {
            const [start, end] = ["\u001b[201~".slice(0, cut), "\u001b[201~".slice(cut)];
            const pieces = pushAll(["\u001b[200~", ...chunks, start, `${end}y`]);
            expect(pieces.map(({ type, text }) => [type, text.length])).to.deep.equal([
                ["paste", chunk.length * chunks.length],
                ["text", 1],
            ]);
        }
    });
});
