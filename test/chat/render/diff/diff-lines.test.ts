import { expect } from "chai";

import fc from "fast-check";

import { loadDiffDetails } from "../../../../src/chat/render/diff/diff-details.js";
import { loadWidths, textWidth } from "../../../../src/chat/terminal/graphemes.js";
import { stripControls } from "../../../../src/base/safe-text.js";
import { diffLines } from "../../../../src/chat/render/diff/diff-lines.js";
import { createTheme } from "../../../../src/chat/terminal/theme.js";
import { diffsOf, type FileDiff } from "../../../../src/core/diff/diff.js";
import type { ChangeSet, FileChange } from "../../../../src/plugin/index.js";

const plain = createTheme(0);

function diffOf(diff: string, changes: Partial<FileDiff> = {}): FileDiff {
    return { path: "app.ts", diff, linesAdded: 1, linesRemoved: 1, kind: "modified", ...changes };
}

function changesOf(files: Record<string, readonly [before: string, after: string]>): ChangeSet {
    const changes = Object.entries(files).map(([path, [before, after]]) => ({
        path,
        before: Buffer.from(before),
        beforeHash: "",
        after: Buffer.from(after),
    }));
    return { changes };
}

const HEADER = "--- a/app.ts\n+++ b/app.ts\n";

describe("diffLines", () => {
    it("Each file has a header with its counts, followed by its hunks", () => {
        const diffs = [
            diffOf(`${HEADER}@@ -1,1 +1,1 @@\n-old\n+new\n`),
            diffOf("@@ -0,0 +1,1 @@\n+x\n", { path: "b.ts", kind: "created", linesRemoved: 0 }),
        ];
        expect(diffLines(diffs, { theme: plain })).to.deep.equal([
            "app.ts +1 -1",
            "@@ -1,1 +1,1 @@",
            "1 -old",
            "1 +new",
            "",
            "b.ts (new file) +1 -0",
            "@@ -0,0 +1,1 @@",
            "1 +x",
        ]);
    });

    it("Additions are green, removals red and hunk headers cyan", () => {
        const lines = diffLines([diffOf("@@ -1 +1 @@\n-old\n+new\n same")], {
            theme: createTheme(1),
        });
        expect(lines.slice(1)).to.deep.equal([
            "\u001b[36m@@ -1 +1 @@\u001b[39m",
            "\u001b[2m1 \u001b[22m\u001b[31m-\u001b[39m\u001b[31mold\u001b[39m",
            "\u001b[2m1 \u001b[22m\u001b[32m+\u001b[39m\u001b[32mnew\u001b[39m",
            "\u001b[2m2 \u001b[22m same",
        ]);
    });

    it("Control characters and direction marks are made visible", () => {
        const [header, , line] = diffLines(
            [diffOf("@@ -1 +1 @@\n+a\u001b[2Jb\u202ec\n", { path: "x\u001b[1m\ny" })],
            { theme: plain }
        );
        expect(header).to.equal("x^[[1m⏎y +1 -1");
        expect(line).to.equal("1 +a^[[2Jb\\u{202e}c");
    });

    it("No link, moved file or name in a folder adds a row, and blanks around a name are shown", () => {
        const changes: FileChange[] = [
            {
                path: "link",
                type: "link",
                before: null,
                beforeHash: null,
                after: Buffer.from("a\nb"),
            },
            { path: "c\nd", before: Buffer.from("x"), beforeHash: "x", after: null },
            { path: "e ", before: null, beforeHash: null, after: Buffer.from("x") },
            ...["dist/f\ng", "dist/h"].map((path) => ({
                ...{ path, isIgnored: true, ignoredIn: "dist/" },
                ...{ before: null, beforeHash: null, after: Buffer.from("x") },
            })),
        ];
        const rows = diffLines(diffsOf({ changes }), { theme: plain, columns: 80 });
        expect(rows.join("\n").split("\n")).to.deep.equal(rows);
        expect(rows)
            .to.include("a link to a⏎b")
            .and.include("moved from c⏎d")
            .and.include("e␣ (new file) +1 -0")
            .and.include("2 files, ignored: f⏎g, h");
    });

    it("Blanks are shown at the end of a changed line, and where only they differ", () => {
        const rows = (diff: string) => diffLines([diffOf(diff)], { theme: plain }).slice(2);
        expect(rows("@@ -1,2 +1,2 @@\n-a\n-\tb c\n+a \t\n+    b c\n d \n")).to.deep.equal([
            ...["1 -a", "2 -⇥b␣c", "1 +a␣⇥", "2 +␣␣␣␣b␣c", "3  d "],
        ]);
        expect(rows("@@ -1 +1 @@\n-\ta\n+\tb\n")).to.deep.equal(["1 -    a", "1 +    b"]);
    });

    it("Carriage returns are shown only where they differ", () => {
        const windows = diffLines([diffOf("@@ -1 +1 @@\n-a\r\n+b\r\n")], { theme: plain });
        expect(windows.slice(2)).to.deep.equal(["1 -a", "1 +b"]);
        const mixed = diffLines([diffOf("@@ -1 +1 @@\n-a\n+a\r\n")], { theme: plain });
        expect(mixed.slice(2)).to.deep.equal(["1 -a", "1 +a^M"]);
    });
});

describe("Details in diffLines", () => {
    const colours = createTheme(1);
    const LONG_MS = 20_000;
    const RED = "\u001b[31m";
    const GREEN = "\u001b[32m";

    async function shown(files: Record<string, readonly [before: string, after: string]>) {
        const changeSet = changesOf(files);
        const details = await loadDiffDetails(changeSet, colours, LONG_MS);
        return diffLines(diffsOf(changeSet), { theme: colours, details });
    }

    /** The lines without their numbers. */
    async function linesOf(path: string, before: string, after: string): Promise<string[]> {
        const lines = await shown({ [path]: [before, after] });
        return lines.slice(2).map((line) => line.replace(/^\u001b\[2m *\d+ \u001b\[22m/, ""));
    }

    it("The changed words of a line are highlighted", async () => {
        expect(await linesOf("a.txt", "one = old(1);\n", "one = fresh(1);\n")).to.deep.equal([
            `${RED}-\u001b[39m${RED}one = \u001b[39m${RED}\u001b[7mold\u001b[27m\u001b[39m${RED}(1);\u001b[39m`,
            `${GREEN}+\u001b[39m${GREEN}one = \u001b[39m${GREEN}\u001b[7mfresh\u001b[27m\u001b[39m${GREEN}(1);\u001b[39m`,
        ]);
    });

    it("Words are highlighted next to an added line too, but never in an unrelated line", async () => {
        const [removed, first, second] = await linesOf(
            "a.txt",
            "    call(one, two)\n",
            "    // what follows is called\n    call(one, three)\n"
        );
        expect(removed).to.contain("\u001b[7mtwo\u001b[27m");
        expect(first).to.equal(
            `${GREEN}+\u001b[39m${GREEN}    // what follows is called\u001b[39m`
        );
        expect(second).to.contain("\u001b[7mthree\u001b[27m");
    });

    it("Unchanged and changed code has the colours of the file's language", async () => {
        const lines = await linesOf("a.ts", 'const a = "x";\nlet b;\n', 'const a = "x";\nlet c;\n');
        const keyword = (text: string) => `\u001b[35m${text}\u001b[39m`;
        expect(lines[0]).to.equal(` ${keyword("const")} a = \u001b[36m"x"\u001b[39m;`);
        expect(lines[2]).to.equal(
            `${GREEN}+\u001b[39m${keyword("let")}${GREEN} \u001b[39m${GREEN}\u001b[7mc\u001b[27m\u001b[39m${GREEN};\u001b[39m`
        );
        const unknown = await linesOf("a.unknown", "const a;\n", "");
        expect(unknown).to.deep.equal([`${RED}-\u001b[39m${RED}const a;\u001b[39m`]);
    });

    it("A line inside a comment or string that began far above is coloured as such", async () => {
        const inside = "const\n".repeat(50);
        const lines = await linesOf("a.ts", `/*\n${inside}let\n*/\n`, `/*\n${inside}for\n*/\n`);
        const plain = (text: string) => ` \u001b[2m${text}\u001b[22m`;
        expect(lines.slice(0, 3)).to.deep.equal(Array(3).fill(plain("const")));
        expect(lines.slice(3)).to.deep.equal([
            `${RED}-\u001b[39m${RED}let\u001b[39m`,
            `${GREEN}+\u001b[39m${GREEN}for\u001b[39m`,
            plain("*/"),
        ]);
    });

    it("A coloured diff lets no escape sequence of a file reach the terminal", async () => {
        const lines = await shown({
            "a.ts": ["", 'const a = "\u001b[2J\u202e"; // \u001b]0;x\u0007\r\nlet b;\u009b1m\n'],
        });
        const bare = lines.map(stripControls);
        expect(bare.slice(2)).to.deep.equal([
            '1 +const a = "^[[2J\\u{202e}"; // ^[]0;x^G^M',
            "2 +let b;\\u{9b}1m",
        ]);
        expect(lines[2]).to.contain("\u001b[35mconst\u001b[39m");
        expect(lines.join("").replace(/\u001b\[\d+m/g, "")).not.to.match(/[\u001b\u009b\u202e]/);
    });

    it("Highlighting that takes too long is skipped", async () => {
        const slow = "aaa\n".repeat(40_000);
        const changeSet = changesOf({ "a.cs": [slow, `${slow}b\n`], "b.ts": ["let a;", "let b;"] });
        const details = await loadDiffDetails(changeSet, colours, 50);
        const lines = diffLines(diffsOf(changeSet), { theme: colours, details });
        expect(lines.map(stripControls)).to.include("40001 +b").and.include("1 -let a;");
        expect(details?.code("a.cs", "after", 1)).to.equal(undefined);
        expect(details?.code("b.ts", "after", 1)).to.equal(undefined);
    });

    it("How much of a change is coloured depends on its size alone", async () => {
        const text = "let a;\n".repeat(14_000);
        const changeSet = changesOf({ "a.ts": [text, `${text}a`], "b.ts": [text, `${text}b`] });
        const details = await loadDiffDetails(changeSet, colours, LONG_MS);
        const isColoured = (file: string, side: "before" | "after") =>
            details?.code(file, side, 1) !== undefined;
        expect(isColoured("a.ts", "before")).to.equal(true);
        expect(isColoured("a.ts", "after")).to.equal(true);
        expect(isColoured("b.ts", "before")).to.equal(true);
        expect(isColoured("b.ts", "after")).to.equal(false);
        const pair = (line: number) =>
            details?.compare(`a ${line} `.repeat(50), `a ${line} `.repeat(50) + "b");
        const compared = Array.from({ length: 1_000 }, (_, line) => pair(line) !== undefined);
        expect(compared.indexOf(false)).to.be.within(50, 500);
        expect(compared.lastIndexOf(true)).to.equal(compared.indexOf(false) - 1);
    });

    it("The colours of thousands of small files take a moment", async () => {
        const texts = ["const a = 1;\n", "let a = 1;\n"] as const;
        const names = Array.from({ length: 4_000 }, (_, number) => `f${number}.ts`);
        const changeSet = changesOf(Object.fromEntries(names.map((name) => [name, texts])));
        const details = await loadDiffDetails(changeSet, colours, LONG_MS);
        const begin = process.cpuUsage();
        const kinds = names.map((name) => details?.code(name, "after", 1)?.[0]?.kind);
        const { user, system } = process.cpuUsage(begin);
        expect(new Set(kinds)).to.deep.equal(new Set(["keyword"]));
        expect((user + system) / 1_000).to.be.below(1_500);
    });

    it("A diff shows the same characters with and without colours", async () => {
        const word = fc.constantFrom(
            "a",
            "let ",
            "(",
            '"',
            "/*",
            "*/",
            "\t",
            "漢",
            "\r",
            "\u001b[1m",
            "é"
        );
        const text = fc
            .array(fc.array(word, { maxLength: 6 }), { maxLength: 9 })
            .map((lines) => lines.map((words) => words.join("")).join("\n"));
        await fc.assert(
            fc.asyncProperty(text, text, async (before, after) => {
                const changeSet = changesOf({ "a.ts": [before, after] });
                const diffs = diffsOf(changeSet);
                const details = await loadDiffDetails(changeSet, colours, LONG_MS);
                const coloured = diffLines(diffs, { theme: colours, details });
                expect(coloured.map(stripControls)).to.deep.equal(
                    diffLines(diffs, { theme: plain })
                );
            })
        );
    });
});

describe("diffLines in a terminal", () => {
    before(loadWidths);

    const NARROW = 24;

    it("A wrapped line continues with the same indentation and colour", async () => {
        const diffs = [diffOf("@@ -1 +1 @@\n+const long = 漢漢漢漢漢漢漢漢漢;\n")];
        const lines = diffLines(diffs, { theme: plain, columns: NARROW });
        expect(lines.slice(2)).to.deep.equal(["1 +const long = 漢漢漢漢", "   漢漢漢漢漢;"]);
        const [first = "", second = ""] = diffLines(diffs, {
            theme: createTheme(1),
            columns: NARROW,
        }).slice(2);
        expect(first.endsWith("\u001b[0m")).to.equal(true);
        expect(second.startsWith("   \u001b[32m漢")).to.equal(true);
    });

    it("No row exceeds the width, whatever the line holds", () => {
        fc.assert(
            fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (line) => {
                const diffs = [diffOf(`@@ -1 +1 @@\n+${line.replaceAll("\n", "")}`)];
                const rows = diffLines(diffs, { theme: createTheme(1), columns: NARROW }).slice(2);
                for (const row of rows) expect(textWidth(row)).to.be.at.most(NARROW);
            })
        );
    });
});
