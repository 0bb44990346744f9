import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { editReplaceExact } from "../../../src/builtin/tools/edit-replace-exact.js";
import { editBench } from "./edit-support.js";

describe("edit_replace_exact", () => {
    it("A single match is replaced", async () => {
        const bench = await editBench({ "a.ts": "one\ntwo\n" });
        const { changes } = await bench.edit(editReplaceExact, {
            path: "a.ts",
            old: "two",
            new: "2",
        });
        expect(await bench.read("a.ts")).to.equal("one\n2\n");
        expect(changes.map((change) => change.path)).to.deep.equal(["a.ts"]);
    });

    it("Several matches are listed, including overlapping ones", async () => {
        const bench = await editBench({ "a.ts": "x = 1;\n  y();\nx = 1;\n", b: "aaa" });
        const error = await bench.refusal(editReplaceExact, { path: "a.ts", old: "= 1", new: "" });
        expect(error.code).to.equal("ambiguous-text");
        expect(error.candidates).to.deep.equal([
            { occurrence: 1, line: 1, preview: "x = 1;" },
            { occurrence: 2, line: 3, preview: "x = 1;" },
        ]);
        const overlapping = await bench.refusal(editReplaceExact, {
            path: "b",
            old: "aa",
            new: "",
        });
        expect(overlapping.message).to.include("occurs 2 times");
    });

    it("Matches that overlap at each character are counted in linear time", async () => {
        const bench = await editBench({ a: "a".repeat(8 * 1024 * 1024) });
        const input = { path: "a", old: "a".repeat(16_000), new: "" };
        const error = await bench.refusal(editReplaceExact, input);
        expect(error.code).to.equal("ambiguous-text");
    });

    it("All matches are replaced only when their number is the expected one", async () => {
        const bench = await editBench({ a: "x x x" });
        const input = { path: "a", old: "x", new: "yy" };
        const error = await bench.refusal(editReplaceExact, { ...input, expectedOccurrences: 2 });
        expect(error).to.include({ code: "wrong-count" });
        expect(error.candidates).to.have.lengthOf(3);
        await bench.edit(editReplaceExact, { ...input, expectedOccurrences: 3 });
        expect(await bench.read("a")).to.equal("yy yy yy");
    });

    it("At most twenty of many matches are listed, and all are counted", async () => {
        const bench = await editBench({ a: "x\n".repeat(1000) });
        const error = await bench.refusal(editReplaceExact, { path: "a", old: "x", new: "" });
        expect(error.message).to.include("1000 times");
        expect(error.candidates).to.have.lengthOf(20);
    });

    it("Patterns and replacement marks are taken literally", async () => {
        const bench = await editBench({ a: "a.*b $1\r\na.*c\r\n" });
        await bench.edit(editReplaceExact, { path: "a", old: "$1\na.*c", new: "$& $1 $$" });
        expect(await bench.read("a")).to.equal("a.*b $& $1 $$\r\n");
    });

    it("CRLF, a byte order mark and a missing final line break are kept", async () => {
        const bench = await editBench({
            a: Buffer.from("\xef\xbb\xbfone\r\ntwo\r\nend", "latin1"),
        });
        await bench.edit(editReplaceExact, { path: "a", old: "one\ntwo", new: "1\n2\n3" });
        expect(await bench.read("a")).to.equal("\xef\xbb\xbf1\r\n2\r\n3\r\nend");
    });

    it("Replacing the end of a file also decides its final line break", async () => {
        const bench = await editBench({ a: "one\ntwo", b: "one\ntwo\n" });
        await bench.edit(editReplaceExact, { path: "a", old: "two", new: "2\n" });
        await bench.edit(editReplaceExact, { path: "b", old: "two\n", new: "2" });
        expect(await bench.read("a")).to.equal("one\n2\n");
        expect(await bench.read("b")).to.equal("one\n2");
    });

    it("Bytes that are not UTF-8 are kept", async () => {
        const bench = await editBench({ a: Buffer.from("caf\xe9 \xff one\n\xc3", "latin1") });
        await bench.edit(editReplaceExact, { path: "a", old: "one", new: "é" });
        expect(await bench.read("a")).to.equal("caf\xe9 \xff \xc3\xa9\n\xc3");
    });

    it("In mixed files each line break is kept, and new lines take the local one", async () => {
        const bench = await editBench({ a: "a\r\nb\nc\r\nd\n" });
        await bench.edit(editReplaceExact, { path: "a", old: "a\nb\nc\n", new: "a\nB\nB\nc\n" });
        expect(await bench.read("a")).to.equal("a\r\nB\nB\nc\r\nd\n");
    });

    it("A miss reports the nearest text", async () => {
        const bench = await editBench({ a: "\tone\n" });
        const error = await bench.refusal(editReplaceExact, { path: "a", old: "  one", new: "" });
        expect(error.code).to.equal("text-not-found");
        expect(error.candidates).to.deep.equal([
            { line: 1, column: 1, yours: "··one", file: "→one" },
        ]);
        expect(await bench.read("a")).to.equal("\tone\n");
    });

    it("Exact text is accepted in a file that somebody else changed", async () => {
        const bench = await editBench({ a: "one\n" });
        await bench.see("a");
        await bench.context.write("a", "zero\none\n");
        await bench.edit(editReplaceExact, { path: "a", old: "one", new: "1" });
        expect(await bench.read("a")).to.equal("zero\n1\n");
    });

    it("An edit that changes nothing is refused", async () => {
        const bench = await editBench({ a: "one" });
        const same = await bench.refusal(editReplaceExact, { path: "a", old: "one", new: "one" });
        expect(same.code).to.equal("no-change");
    });

    it("Binary files, files over 64 MB, folders and missing files are refused", async () => {
        const bench = await editBench({
            binary: Buffer.from([97, 0, 97]),
            wide: Buffer.from("\ufeffa", "utf16le"),
            big: Buffer.alloc(64 * 1024 * 1024 + 1, "b"),
        });
        mkdirSync(path.join(bench.context.root, "folder"));
        const codes = await Promise.all(
            ["binary", "wide", "big", "folder", "missing", "../out"].map((file) =>
                bench.refusal(editReplaceExact, { path: file, old: "a", new: "x" })
            )
        );
        expect(codes.map(({ code }) => code)).to.deep.equal([
            "binary-file",
            "binary-file",
            "too-large",
            "not-a-file",
            "not-found",
            "outside-repository",
        ]);
    });

    it("Files of git and North are refused before anything is shown", async () => {
        const bench = await editBench({ ".git/config": "a", ".north/allowlist.json": "a" });
        for (const file of [".git/config", ".north/allowlist.json", ".GIT/config", "x/../.git/y"]) {
            const error = await bench.refusal(editReplaceExact, { path: file, old: "a", new: "b" });
            expect(error.code).to.equal("protected-path");
        }
    });

    it("The intent and summary lines describe the edit", () => {
        const input = { path: "src/app.ts", old: "a", new: "b" };
        const files = [
            { path: "a", linesAdded: 2, linesRemoved: 1 },
            { path: "b", linesAdded: 1, linesRemoved: 0 },
        ];
        expect(editReplaceExact.intent(input)).to.equal("Editing src/app.ts");
        expect(editReplaceExact.summary?.({ applied: "all", files }, input)).to.equal("+3 -1");
        expect(editReplaceExact.summary?.({ applied: "some", files }, input)).to.equal(
            "+3 -1, in part"
        );
    });
});
