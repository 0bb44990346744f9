import { expect } from "chai";
import fc from "fast-check";

import {
    safeLine,
    showControls,
    stripControls,
    terminalText,
    safeJson,
} from "../../src/base/safe-text.js";

const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const hostile = fc
    .array(
        fc.constantFrom(
            "\u001b",
            "[",
            "]",
            "0;",
            "2J",
            "m",
            "\u0007",
            "\u009b",
            "\u009d",
            "\u001b\\",
            "\u001bP",
            "\r",
            "\n",
            "\t",
            "\b",
            "\u202e",
            "x",
            "漢"
        ),
        { maxLength: 30 }
    )
    .map((parts) => parts.join(""));

describe("stripControls", () => {
    it("All control characters except line feeds and tabs are removed", () => {
        fc.assert(
            fc.property(hostile, (text) => {
                expect(stripControls(text)).not.to.match(DANGEROUS);
            })
        );
    });

    it("Whole escape sequences are removed, not only their first character", () => {
        const text =
            "a\u001b[1;31mb\u001b]52;c;aGk=\u0007c\u001bPq\u001b\\d\u009b2Je\u001b(Bf\u001b7g";
        expect(stripControls(text)).to.equal("abcdefg");
    });

    it("Ordinary text, tabs and emoji are kept", () => {
        const text = "\tlet x = [1];\n漢字 👩‍👩‍👧 é — ok";
        expect(stripControls(text)).to.equal(text);
    });

    it("A carriage return cannot hide the text before it", () => {
        expect(stripControls("rm -rf /\rls\r\nend")).to.equal("rm -rf /\nls\nend");
    });

    it("Hostile text is stripped in linear time", () => {
        const text = "\u001b[0".repeat(200_000) + "\u001b]".repeat(200_000);
        expect(stripControls(text)).not.to.match(DANGEROUS);
    });
});

describe("showControls", () => {
    it("Invisible characters are shown", () => {
        expect(showControls("ls\u001b[8m\u007f\r")).to.equal("ls^[[8m^?^M");
        expect(showControls("a\u202eb\u200bc\u2028d")).to.equal("a\\u{202e}b\\u{200b}c\\u{2028}d");
    });

    it("Every invisible character is escaped, including a variation selector without an emoji", () => {
        const invisible = [
            ..."\u3164\uffa0\u115f\u2800\u034f\u00a0\ufe00\ufe0f\u{e0100}\u{e01ef}\u200b\u2060\u{e0041}\u00ad\u180e\u2003\u3000\ufeff",
        ];
        for (const character of invisible) {
            const code = `\\u{${character.codePointAt(0)!.toString(16)}}`;
            expect(showControls(`{timeout,${character}}`)).to.equal(`{timeout,${code}}`);
            expect(safeLine(`a${character}b`)).to.equal(`a${code}b`);
        }
        expect(showControls("❤\ufe0f")).to.equal("❤\ufe0f");
    });

    it("Beside a digit, # or * nothing invisible is printed as it is", () => {
        expect(showControls("user1\ufe0f")).to.equal("user1\\u{fe0f}");
        expect(showControls("v1\u200d2")).to.equal("v1\\u{200d}2");
        expect(showControls("#\ufe0f *\ufe0f")).to.equal("#\\u{fe0f} *\\u{fe0f}");
        expect(showControls("1\u200d❤")).to.equal("1\\u{200d}❤");
        expect(showControls("❤\u200d1")).to.equal("❤\\u{200d}1");
    });

    it("Characters that show nothing although Unicode does not say so are escaped", () => {
        expect(showControls("a\u{16fe4}b\u{1d159}c")).to.equal("a\\u{16fe4}b\\u{1d159}c");
    });

    it("Letters that look like Latin ones are escaped in words that read as Latin", () => {
        expect(showControls("is\u0410dmin k\u03bfde \u{1d41a}b")).to.equal(
            "is\\u{410}dmin k\\u{3bf}de \\u{1d41a}b"
        );
        expect(showControls("let \u0441\u0443\u0440 = 1")).to.equal(
            "let \\u{441}\\u{443}\\u{440} = 1"
        );
        for (const text of ["функция с параметром а", "PDFка", "Δx = λy", "Tシャツ", "Ελλάδα"]) {
            expect(showControls(text)).to.equal(text);
        }
    });

    it("Marks that hide what is around them, or make a twin of another letter, are escaped", () => {
        expect(showControls("cafe\u0301 caf\u00e9")).to.equal("cafe\\u{301} caf\u00e9");
        expect(showControls("\u1112\u1161\u11ab")).to.equal("\u1112\\u{1161}\\u{11ab}");
        expect(showControls("+\u0338 a\n\u20dd")).to.equal("+\\u{338} a\n\\u{20dd}");
        expect(showControls(`x${"\u0336".repeat(9)}`)).to.equal(`x${"\\u{336}".repeat(9)}`);
        for (const text of ["हिन्दी", "ภาษาไทยที่นี่", "שָׁלוֹם", "مُحَمَّد", "x\u0336"]) {
            expect(showControls(text)).to.equal(text);
        }
    });

    it("Characters that fonts may draw as nothing are escaped", () => {
        expect(showControls("a\ue000b\uffffc")).to.equal("a\\u{e000}b\\u{ffff}c");
    });

    it("Hostile text is shown in linear time", () => {
        for (const part of ["\u0301", "a\u0301", "\u0430", "\u0430b ", "\u0430\n", " \t"]) {
            expect(showControls(part.repeat(300_000))).to.have.length.greaterThan(300_000);
        }
    });

    it("Keycaps, families, flags and skin tones stay whole", () => {
        for (const emoji of ["1\ufe0f\u20e3", "👩‍👩‍👧", "👩🏽‍🚀", "🏳\ufe0f‍🌈", "❤\ufe0f‍🔥", "🇩🇪", "👍🏽"]) {
            expect(showControls(emoji)).to.equal(emoji);
        }
    });

    it("No control character passes", () => {
        fc.assert(
            fc.property(hostile, (text) => {
                expect(showControls(text)).not.to.match(DANGEROUS);
            })
        );
    });

    it("Joined emoji are kept, and a joiner elsewhere is escaped", () => {
        expect(showControls("👩‍👩‍👧 👩🏽‍🚀")).to.equal("👩‍👩‍👧 👩🏽‍🚀");
        expect(showControls("pass\u200dword")).to.equal("pass\\u{200d}word");
    });
});

describe("safeJson", () => {
    it("JSON has no character that a terminal obeys, and is the same value", () => {
        fc.assert(
            fc.property(hostile, (text) => {
                const json = safeJson({ [text]: [text] }, 2);
                expect(json).not.to.match(DANGEROUS);
                expect(JSON.parse(json)).to.deep.equal({ [text]: [text] });
            })
        );
    });
});

describe("safeLine", () => {
    it("Several lines become one", () => {
        expect(safeLine(" a\n\n  b\r\nc ")).to.equal("a b c");
    });

    it("A text of a million tabs becomes one line in linear time", () => {
        expect(safeLine(`a${"\t".repeat(1_000_000)}b`)).to.have.length(1_000_002);
        expect(safeLine(`a\n${"\t\n".repeat(500_000)}b`)).to.equal("a b");
    });
});

describe("What a terminal would show of output", () => {
    for (const [output, shown] of [
        ["plain\n\ttext\n", "plain\n\ttext\n"],
        ["progress 1%\rprogress 2%\rprogress 10%\n", "progress 10%\n"],
        ["progress 10%\r\u001b[Kdone\n", "done\n"],
        ["downloading\r            \rok\n", "ok          \n"],
        ["one\r\ntwo\r\n", "one\ntwo\n"],
        ["\u001b[31mred\u001b[0m \u001b[1;32mgreen\u001b[m\n", "red green\n"],
        ["\u001b]8;;http://x\u0007link\u001b]8;;\u0007\n", "link\n"],
        ["b\bbo\bol\bld -\b\\\b|\n", "bold |\n"],
    ] as const) {
        it(`${JSON.stringify(output)} is ${JSON.stringify(shown)}`, () => {
            expect(terminalText(output)).to.equal(shown);
        });
    }

    it("Megabytes of progress on one line take linear time, and other characters stay", () => {
        const line = "x".repeat(1_000);
        expect(terminalText(`${`${line}\r`.repeat(5_000)}end`)).to.equal(`end${line.slice(3)}`);
        expect(terminalText("\0\f\u202e")).to.equal("\0\f\u202e");
    });
});
