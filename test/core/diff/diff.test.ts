import { expect } from "chai";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { shownName } from "../../../src/plugin/change-set.js";
import type { FileChange } from "../../../src/plugin/index.js";
import { compareLines } from "../../../src/core/diff/compare-lines.js";
import { allDiffsOf, diffsOf, fileDiff } from "../../../src/core/diff/diff.js";
import { hunksOf, linesOf } from "../../../src/core/diff/hunks.js";

function change(before: string | null, after: string | null): FileChange {
    return {
        path: "a.txt",
        before: before === null ? null : Buffer.from(before),
        beforeHash: before === null ? null : "hash",
        after: after === null ? null : Buffer.from(after),
    };
}

async function diffOf(before: string | null, after: string | null) {
    const [diff] = diffsOf({ changes: [change(before, after)] });
    if (!diff) throw new Error("There is no diff.");
    return diff;
}

describe("Review diffs", () => {
    it("Equal text above and below a change does not affect its diff", () => {
        const text = fc
            .array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 25 })
            .chain((lines) => fc.constantFrom("", "x").map((end) => lines.join("") + end));
        fc.assert(
            fc.property(text, text, text, text, (above, before, after, below) => {
                const [old, fresh] = [above + before + below, above + after + below];
                const [diff] = diffsOf({ changes: [change(old, fresh)] });
                const lines = (each: string) => linesOf(Buffer.from(each));
                const whole = hunksOf(compareLines(lines(old), lines(fresh)));
                expect(diff?.diff).to.equal(fileDiff("a.txt", "modified", whole).diff);
            }),
            { numRuns: 500 }
        );
    });

    it("A diff counts the changed lines and shows them in context", async () => {
        const diff = await diffOf("one\ntwo\nthree\n", "one\n2\nthree\nfour\n");
        expect(diff).to.deep.include({ kind: "modified", linesAdded: 2, linesRemoved: 1 });
        expect(diff.diff).to.equal("@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four");
    });

    it("A diff describes modes, links and folders in a note", () => {
        const notes = diffsOf({
            changes: [
                { ...change("same\n", "same\n"), mode: 0o755 },
                { ...change(null, "new\n"), mode: 0o644 },
                { ...change(null, "tool\n"), mode: 0o755 },
                { ...change(null, "a.txt"), type: "link" },
                { ...change("a.txt", "../b"), type: "link" },
                { ...change(null, ""), type: "folder", mode: 0o700 },
            ],
        }).map(({ note }) => note);
        expect(notes).to.deep.equal([
            "mode 755",
            undefined,
            "mode 755",
            "a link to a.txt",
            "a link to a.txt, now to ../b",
            "mode 700",
        ]);
    });

    it("A file that moved says where it went, and where it came from", () => {
        const move = [
            { ...change("same\n", null), path: "old.ts" },
            { ...change(null, "same\n"), path: "new.ts", mode: 0o755 },
            { ...change(null, "same\n"), path: "copy.ts" },
            { ...change(null, "other\n"), path: "other.ts" },
        ];
        for (const diffs of [diffsOf({ changes: move }), allDiffsOf({ changes: move })]) {
            expect(diffs.map(({ note }) => note)).to.deep.equal([
                "moved to new.ts",
                "moved from old.ts, mode 755",
                undefined,
                undefined,
            ]);
        }
    });

    it("A path that becomes something else says what it was, and shows the text that comes or goes", () => {
        const diffs = diffsOf({
            changes: [
                { ...change("one\n", "target"), type: "link", typeBefore: "file" },
                { ...change("target", "one\n"), typeBefore: "link" },
                { ...change("", "one\n"), typeBefore: "folder" },
                { ...change("one\n", ""), type: "folder", typeBefore: "file" },
            ],
        });
        expect(
            diffs.map(({ path, kind, note, diff }) => ({ path, kind, note, diff }))
        ).to.deep.equal([
            {
                ...{ path: "a.txt", kind: "modified", note: "was a file, now a link to target" },
                diff: "@@ -1,1 +0,0 @@\n-one",
            },
            {
                ...{ path: "a.txt", kind: "modified", note: "was a link to target, now a file" },
                diff: "@@ -0,0 +1,1 @@\n+one",
            },
            {
                ...{ path: "a.txt", kind: "modified", note: "was a folder, now a file" },
                diff: "@@ -0,0 +1,1 @@\n+one",
            },
            {
                ...{ path: "a.txt/", kind: "modified", note: "was a file, now a folder" },
                diff: "@@ -1,1 +0,0 @@\n-one",
            },
        ]);
    });

    it("A created or deleted folder has its own line only if it is empty", () => {
        const folder = (path: string, others: Partial<FileChange> = {}): FileChange => ({
            ...change(null, ""),
            ...{ path, type: "folder", mode: 0o755, ...others },
        });
        const gone = { before: Buffer.from(""), beforeHash: "hash", after: null };
        const diffs = diffsOf({
            changes: [
                folder("new"),
                { ...change(null, "x\n"), path: "new/a.txt" },
                folder("empty"),
                folder("open", { mode: 0o777 }),
                { ...change(null, "x\n"), path: "open/a.txt" },
                folder("build", { ...gone, mode: undefined, isIgnored: true }),
                folder("build/sub", { ...gone, mode: undefined, isIgnored: true }),
                { ...change("x\n", null), path: "build/sub/a.js", isIgnored: true },
            ],
        });
        expect(diffs.map(({ path, kind, note = "" }) => `${path} ${kind} ${note}`)).to.deep.equal([
            "new/a.txt created ",
            "empty/ created ",
            "open/ created mode 777",
            "open/a.txt created ",
            "build/ deleted 1 file, ignored: sub/a.js",
        ]);
    });

    it("An output of which all is gone is counted as deleted", () => {
        const at = { path: "dist/", names: [] };
        const outputs = [
            { ...at, files: 2, deleted: 2 },
            { ...at, files: 2, deleted: 1 },
        ];
        const counts = diffsOf({ changes: [], outputs }).map(({ count }) => count);
        expect(counts).to.deep.equal(["2 files deleted", "2 files, 1 deleted"]);
    });

    it("Git-ignored changes are counted by folder, with names", () => {
        const ignored = Array.from({ length: 7 }, (_, index) => ({
            ...change(null, "x\n"),
            path: `dist/${index}.js`,
            isIgnored: true,
        }));
        const diffs = diffsOf({ changes: [...ignored, change("a\n", "b\n")] });
        expect(diffs.map(({ path }) => path)).to.deep.equal(["a.txt", "dist/"]);
        expect(diffs[1]).to.deep.include({
            diff: "",
            count: "7 files",
            kind: "created",
            note: "7 files, ignored: 0.js, 1.js, 2.js, 3.js, 4.js, 2 more",
        });
    });

    it("Ignored changes that would run later are listed one by one, and the whole shows every content", () => {
        const ignored = (path: string, others: Partial<FileChange> = {}): FileChange => ({
            ...change(null, "x\n"),
            ...{ path, isIgnored: true, ...others },
        });
        const changes = [
            ...Array.from({ length: 7 }, (_, index) => ignored(`node_modules/a/${index}.js`)),
            ignored("node_modules/.bin/a", { type: "link", after: Buffer.from("../a/0.js") }),
            ignored("node_modules/b/cli.js", { mode: 0o755 }),
            ignored("node_modules/b/index.js", { before: Buffer.from("old\n"), beforeHash: "h" }),
            ignored("node_modules/b/\n@@ -1 +1 @@", { mode: 0o755 }),
            ignored("deploy.local.sh", { after: Buffer.from("rm -rf /\n"), mode: 0o755 }),
        ];
        const [dependencies, script] = diffsOf({ changes });
        expect(dependencies?.note).to.match(/^11 files, ignored: a\/0\.js, /);
        expect(dependencies?.diff.split("\n")).to.deep.equal([
            ".bin/a: new, a link to ../a/0.js",
            "b/cli.js: new, mode 755",
            "b/index.js: changed",
            "b/^J@@ -1 +1 @@: new, mode 755",
        ]);
        expect(script).to.deep.include({ path: "deploy.local.sh", diff: "" });
        const whole = allDiffsOf({ changes });
        expect(whole.map(({ path }) => path)).to.deep.equal(changes.map(({ path }) => path));
        expect(whole.at(-1)).to.deep.include({ diff: "@@ -0,0 +1,1 @@\n+rm -rf /" });
        expect(whole[7]).to.deep.include({ note: "a link to ../a/0.js" });
        expect(whole[9]?.diff).to.equal("@@ -1,1 +1,1 @@\n-old\n+x");
    });

    it("A diff names the real path and the name that runs later", () => {
        const other = { realPath: ".vscode/a.txt", runsAs: ".vscode/a.txt" };
        const [diff] = diffsOf({ changes: [{ ...change(null, "x\n"), ...other }] });
        expect(diff).to.deep.include({ path: "a.txt", ...other });
        expect(diff && shownName(diff)).to.equal("a.txt, which is .vscode/a.txt");
        expect(shownName({ path: "a", realPath: "a", runsAs: ".b/a" })).to.equal("a, also .b/a");
    });

    it("NULs hide no text, however many there are, and only what is no text is counted", async () => {
        const script = "#!/bin/sh\n# \0\nrm -rf /\n";
        const texts = [
            script,
            `${"\0".repeat(5_000)}\nrm -rf /\n`,
            `# ${"\0\u0001".repeat(3)}\n# ${"words ".repeat(20)}\nrm -rf /\n`,
            `${"é漢😀\0".repeat(9)}\nrm -rf /\n`,
            `/*\0${"\u0001".repeat(90)}*/\nrm -rf /\n`,
        ];
        for (const text of texts) {
            expect((await diffOf(null, text)).diff, text).to.contain("+rm -rf /");
        }
        const program = readFileSync(process.execPath).subarray(0, 100_000);
        const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108", "hex");
        for (const bytes of [
            program,
            png,
            Buffer.alloc(100),
            Buffer.from("\0\xff\xfe", "latin1"),
        ]) {
            const [diff] = diffsOf({ changes: [{ ...change(null, ""), after: bytes }] });
            expect(diff?.diff).to.equal(`Binary file, ${bytes.length} bytes after the change.`);
        }
    });

    it("Nothing that is no text hides the text that replaces it, or that follows in a script", () => {
        const binary = readFileSync(process.execPath).subarray(0, 1_000);
        const script = Buffer.from("#!/bin/sh\nrm -rf /\nexit\n");
        const replaced = { ...change("", ""), before: binary, after: script, mode: 0o755 };
        const [diff] = diffsOf({ changes: [replaced] });
        expect(diff).to.deep.include({ note: "was a binary file, mode 755", linesAdded: 3 });
        expect(diff?.diff).to.contain("+rm -rf /");
        const after = Buffer.concat([script, binary]);
        const [packed] = diffsOf({ changes: [{ ...change(null, ""), after }] });
        expect(packed?.diff).to.contain("+rm -rf /");
    });

    it("Bytes that are not UTF-8 are shown, each as itself", () => {
        const after = Buffer.from("caf\xe9 \xe2\x82 \xe2\x82\xac \xed\xa0\x80 \xff\n", "latin1");
        const [diff] = diffsOf({ changes: [{ ...change(null, ""), after }] });
        expect(diff?.diff).to.contain("+caf⟨e9⟩ ⟨e2⟩⟨82⟩ € ⟨ed⟩⟨a0⟩⟨80⟩ ⟨ff⟩");
    });

    it("A diff says which files are created and deleted", async () => {
        expect(await diffOf(null, "one\n")).to.deep.include({ kind: "created", linesAdded: 1 });
        expect(await diffOf("one\n", null)).to.deep.include({ kind: "deleted", linesRemoved: 1 });
    });

    it("A diff shows a missing final newline and a changed line ending", async () => {
        expect((await diffOf("one\n", "one")).diff).to.contain("No newline at end of file");
        expect((await diffOf("one\r\n", "one\n")).linesAdded).to.equal(1);
    });

    it("A diff never prints binary content", async () => {
        const diff = await diffOf("\0\u0001\u0002", "\0\u0001");
        expect(diff.diff).to.match(/^Binary file, 2 bytes/);
    });

    it("A change of every third line of a large file shows only those lines", () => {
        const lines = Array.from({ length: 20_001 }, (_, index) => `line ${index}`);
        const changed = lines.map((line, index) => (index % 3 === 0 ? `new ${index}` : line));
        const [diff] = diffsOf({
            changes: [change(lines.join("\n"), changed.join("\n"))],
        });
        expect(diff).to.deep.include({ linesAdded: 6_667, linesRemoved: 6_667 });
    });

    it("A change between repeated lines of a large file is not shown as one replacement", () => {
        const block = ["{", "}", "", "return;"];
        const lines = Array.from({ length: 3_000 }, (_, index) => block[index % 4] ?? "");
        const changed = lines.map((line, index) => (index % 100 === 50 ? "added" : line));
        const [diff] = diffsOf({
            changes: [change(lines.join("\n"), changed.join("\n"))],
        });
        expect(diff).to.deep.include({ linesAdded: 30, linesRemoved: 30 });
    });

    it("A diff of two large files with nothing in common terminates", async () => {
        const lines = (word: string) =>
            Array.from({ length: 15_000 }, (_, index) => `${word} ${index}`).join("\n");
        const diff = await diffOf(`same\n${lines("before")}\nend`, `same\n${lines("after")}\nend`);
        expect(diff).to.deep.include({ linesAdded: 15_000, linesRemoved: 15_000 });
        expect(diff.diff).to.match(/^@@ -1,15002 \+1,15002 @@\n same\n-before 0\n/);
    });
});
