import { expect } from "chai";

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
            "-old",
            "+new",
            "b.ts (new file) +1 -0",
            "@@ -0,0 +1,1 @@",
            "+x",
        ]);
    });

    it("shows what is added green, what is removed red and where cyan", () => {
        const lines = diffLines([diffOf("@@ -1 +1 @@\n-old\n+new\n same")], createTheme(1));
        expect(lines.slice(1)).to.deep.equal([
            "\u001b[36m@@ -1 +1 @@\u001b[39m",
            "\u001b[31m-old\u001b[39m",
            "\u001b[32m+new\u001b[39m",
            " same",
        ]);
    });

    it("hides nothing: control characters and direction marks are visible", () => {
        const [header, , line] = diffLines(
            [diffOf("@@ -1 +1 @@\n+a\u001b[2Jb\u202ec\n", { path: "x\u001b[1m\ny" })],
            plain
        );
        expect(header).to.equal("x^[[1m^Jy +1 -1");
        expect(line).to.equal("+a^[[2Jb\\u{202e}c");
    });

    it("shows carriage returns only where they make a difference", () => {
        const windows = diffLines([diffOf("@@ -1 +1 @@\n-a\r\n+b\r\n")], plain);
        expect(windows.slice(2)).to.deep.equal(["-a", "+b"]);
        const mixed = diffLines([diffOf("@@ -1 +1 @@\n-a\n+a\r\n")], plain);
        expect(mixed.slice(2)).to.deep.equal(["-a", "+a^M"]);
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
