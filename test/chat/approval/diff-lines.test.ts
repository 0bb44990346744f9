import { expect } from "chai";

import { diffWordsWithSpace } from "diff";
import fc from "fast-check";

import { stripControls } from "../../../src/chat/terminal/safe-text.js";
import { cutLines, diffLines } from "../../../src/chat/approval/diff-lines.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import type { FileDiff } from "../../../src/core/approval/approver.js";

const plain = createTheme(0);

function diffOf(diff: string, changes: Partial<FileDiff> = {}): FileDiff {
    return { path: "app.ts", diff, linesAdded: 1, linesRemoved: 1, kind: "modified", ...changes };
}

const HEADER = "--- a/app.ts\n+++ b/app.ts\n";

describe("diffLines", () => {
    it("shows each file by a header with its counts and its hunks", () => {
        const diffs = [
            diffOf(`${HEADER}@@ -1,1 +1,1 @@\n-old\n+new\n`),
            diffOf("@@ -0,0 +1,1 @@\n+x\n", { path: "b.ts", kind: "created", linesRemoved: 0 }),
        ];
        expect(diffLines(diffs, plain)).to.deep.equal([
            "app.ts +1 -1",
            "@@ -1,1 +1,1 @@",
            "1 -old",
            "1 +new",
            "b.ts (new file) +1 -0",
            "@@ -0,0 +1,1 @@",
            "1 +x",
        ]);
    });

    it("shows what is added green, what is removed red and where cyan", () => {
        const lines = diffLines([diffOf("@@ -1 +1 @@\n-old\n+new\n same")], createTheme(1));
        expect(lines.slice(1)).to.deep.equal([
            "\u001b[36m@@ -1 +1 @@\u001b[39m",
            "\u001b[2m1 \u001b[22m\u001b[31m-old\u001b[39m",
            "\u001b[2m1 \u001b[22m\u001b[32m+new\u001b[39m",
            "\u001b[2m2 \u001b[22m same",
        ]);
    });

    it("hides nothing: control characters and direction marks are visible", () => {
        const [header, , line] = diffLines(
            [diffOf("@@ -1 +1 @@\n+a\u001b[2Jb\u202ec\n", { path: "x\u001b[1m\ny" })],
            plain
        );
        expect(header).to.equal("x^[[1m^Jy +1 -1");
        expect(line).to.equal("1 +a^[[2Jb\\u{202e}c");
    });

    it("shows carriage returns only where they make a difference", () => {
        const windows = diffLines([diffOf("@@ -1 +1 @@\n-a\r\n+b\r\n")], plain);
        expect(windows.slice(2)).to.deep.equal(["1 -a", "1 +b"]);
        const mixed = diffLines([diffOf("@@ -1 +1 @@\n-a\n+a\r\n")], plain);
        expect(mixed.slice(2)).to.deep.equal(["1 -a", "1 +a^M"]);
    });
});

describe("diffLines with a comparison of words", () => {
    const marked = (text: string) =>
        diffLines([diffOf(text)], createTheme(1), diffWordsWithSpace)
            .slice(2)
            .map((line) => line.replace("\u001b[2m1 \u001b[22m", ""));

    it("marks the words of a line that changed", () => {
        expect(marked("@@ -1 +1 @@\n-const a = old(1);\n+const a = fresh(1);\n")).to.deep.equal([
            "\u001b[31m-\u001b[39m\u001b[31mconst a = \u001b[39m\u001b[31m\u001b[7mold\u001b[27m\u001b[39m\u001b[31m(1);\u001b[39m",
            "\u001b[32m+\u001b[39m\u001b[32mconst a = \u001b[39m\u001b[32m\u001b[7mfresh\u001b[27m\u001b[39m\u001b[32m(1);\u001b[39m",
        ]);
    });

    it("marks nothing where a line is another one", () => {
        const [removed] = marked("@@ -1 +1 @@\n-one two three\n+if (x) return;\n");
        expect(removed).to.equal("\u001b[31m-one two three\u001b[39m");
    });

    it("shows the same characters with and without colours", () => {
        const line = fc.array(fc.constantFrom("a", "b ", "(", "\t", "漢"), { maxLength: 8 });
        const diff = fc
            .array(fc.tuple(fc.constantFrom("+", "-", " "), line), { minLength: 1, maxLength: 9 })
            .map((lines) => lines.map(([sign, words]) => sign + words.join("")).join("\n"));
        fc.assert(
            fc.property(diff, (text) => {
                const diffs = [diffOf(`@@ -1 +1 @@\n${text}`)];
                const shown = diffLines(diffs, createTheme(1), diffWordsWithSpace);
                expect(shown.map(stripControls)).to.deep.equal(diffLines(diffs, plain));
            })
        );
    });
});

describe("cutLines", () => {
    it("says how much is left out", () => {
        const { shown, rest } = cutLines(["1", "2", "3"], 2, plain);
        expect(shown).to.deep.equal(["1", "2", "… 1 more line; v shows the rest"]);
        expect(rest).to.deep.equal(["3"]);
        expect(cutLines(["1", "2"], 2, plain).rest).to.deep.equal([]);
    });
});
