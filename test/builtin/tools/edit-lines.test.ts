import { statSync, chmodSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    editAfterAnchor,
    editBeforeAnchor,
    editByAnchor,
    editReplaceBlock,
} from "../../../src/builtin/tools/edit-by-anchor.js";
import { editCreateFile } from "../../../src/builtin/tools/edit-create-file.js";
import { editInsertAtLine } from "../../../src/builtin/tools/edit-insert-at-line.js";
import { editBench } from "./edit-support.js";

const BOM = "\xef\xbb\xbf";

describe("edit_insert_at_line", () => {
    for (const [name, before, line, content, after] of [
        ["before a line", "a\nb\n", 2, "x\n", "a\nx\nb\n"],
        ["and adds a missing line break", "a\nb\n", 1, "x", "x\na\nb\n"],
        ["behind the last line", "a\nb\n", 3, "x", "a\nb\nx\n"],
        ["into an empty file", "", 1, "x", "x\n"],
        ["and keeps a last line without a break", "a\nb", 3, "x\n", "a\nb\nx"],
        ["in the file's own line ending", "a\r\nb\r\n", 2, "x\ny", "a\r\nx\r\ny\r\nb\r\n"],
        ["and takes CRLF as sent", "a\nb\n", 2, "x\r\n", "a\nx\r\nb\n"],
        ["behind a byte order mark", `${BOM}a\n`, 1, "x", `${BOM}x\na\n`],
        ["an empty line", "a\nb\n", 2, "\n", "a\n\nb\n"],
    ] as const) {
        it(`edit_insert_at_line inserts ${name}`, async () => {
            const bench = await editBench({ f: Buffer.from(before, "latin1") });
            await bench.edit(editInsertAtLine, { path: "f", line, content });
            expect(await bench.read("f")).to.equal(after);
        });
    }

    it("A line beyond the file is refused with the valid range", async () => {
        const bench = await editBench({ f: "a\nb\n" });
        for (const line of [4, 99]) {
            const error = await bench.refusal(editInsertAtLine, { path: "f", line, content: "x" });
            expect(error.code).to.equal("no-such-line");
            expect(error.hint).to.include("1 to 3");
        }
        const single = await editBench({ f: "a\n" });
        const input = { path: "f", line: 9, content: "x" };
        const { message } = await single.refusal(editInsertAtLine, input);
        expect(message).to.equal("There is no line 9 to insert before: f has 1 line.");
    });

    it("A file that somebody changed since the model read it is refused until it is read again", async () => {
        const bench = await editBench({ f: "a\n" });
        await bench.see("f");
        await bench.context.write("f", "b\na\n");
        const input = { path: "f", line: 2, content: "x" };
        const error = await bench.refusal(editInsertAtLine, input);
        expect(error.code).to.equal("changed-since-read");
        expect(error.hint).to.include("Read the file again");
        await bench.see("f");
        await bench.edit(editInsertAtLine, input);
        await bench.edit(editInsertAtLine, { ...input, line: 4 });
        expect(await bench.read("f")).to.equal("b\nx\na\nx\n");
    });

    it("An empty insertion is refused", async () => {
        const bench = await editBench({ f: "a\n" });
        const error = await bench.refusal(editInsertAtLine, { path: "f", line: 1, content: "" });
        expect(error.code).to.equal("no-change");
    });
});

describe("edit_create_file", () => {
    it("A file and its folders are created byte for byte", async () => {
        const bench = await editBench();
        const input = { path: "a/b/c.txt", content: "é\r\nno end" };
        const { changes } = await bench.edit(editCreateFile, input);
        expect(await bench.read("a/b/c.txt")).to.equal("\xc3\xa9\r\nno end");
        expect(changes[0]).to.include({ before: null, beforeHash: null });
        expect(editCreateFile.intent(input)).to.equal("Creating a/b/c.txt");
    });

    it("An existing file is overwritten only on request, and its old content is shown", async () => {
        const bench = await editBench({ f: "old\n" });
        const input = { path: "f", content: "new\n" };
        expect((await bench.refusal(editCreateFile, input)).code).to.equal("already-exists");
        const { changes } = await bench.edit(editCreateFile, { ...input, overwrite: true });
        expect(Buffer.from(changes[0]?.before ?? []).toString()).to.equal("old\n");
        expect(await bench.read("f")).to.equal("new\n");
        const again = await bench.refusal(editCreateFile, { ...input, overwrite: true });
        expect(again.code).to.equal("no-change");
    });

    it("An overwritten file keeps its mode, line endings and byte order mark", async () => {
        const bench = await editBench({ f: Buffer.from(`${BOM}a\r\nb\r\n`, "latin1") });
        chmodSync(path.join(bench.context.root, "f"), 0o755);
        await bench.edit(editCreateFile, { path: "f", content: "x\ny", overwrite: true });
        expect(await bench.read("f")).to.equal(`${BOM}x\r\ny`);
        expect(statSync(path.join(bench.context.root, "f")).mode & 0o777).to.equal(0o755);
    });

    it("A file that somebody changed since the model read it is not overwritten", async () => {
        const bench = await editBench({ f: "old\n" });
        await bench.see("f");
        await bench.context.write("f", "theirs\n");
        const input = { path: "f", content: "new\n", overwrite: true };
        expect((await bench.refusal(editCreateFile, input)).code).to.equal("changed-since-read");
    });

    it("Folders, paths outside, and files of git and North are refused", async () => {
        const bench = await editBench({ "folder/f": "" });
        for (const [file, code] of [
            ["folder", "not-a-file"],
            ["../f", "outside-repository"],
            [".git/hooks/pre-commit", "protected-path"],
            [".north/x", "protected-path"],
            ["sub/.git/config", "protected-path"],
        ] as const) {
            const error = await bench.refusal(editCreateFile, {
                path: file,
                content: "",
                overwrite: true,
            });
            expect(error.code, file).to.equal(code);
        }
    });
});

describe("Edits at anchors", () => {
    const file = "start {\n  one\n}\nmiddle\nstart {\n  two\n}\n";

    it("Whole lines are inserted after and before the anchor's line", async () => {
        const bench = await editBench({ f: file });
        await bench.edit(editAfterAnchor, { path: "f", anchor: "one", content: "  1" });
        await bench.edit(editBeforeAnchor, { path: "f", anchor: "middle", content: "\n" });
        expect(await bench.read("f")).to.equal(file.replace("one\n}\n", "one\n  1\n}\n\n"));
    });

    it("Several matching lines are listed, and an occurrence number selects one", async () => {
        const bench = await editBench({ f: file });
        const input = { path: "f", anchor: "start", content: "  x" };
        const error = await bench.refusal(editAfterAnchor, input);
        expect(error.code).to.equal("ambiguous-anchor");
        expect(error.candidates).to.deep.equal([
            { occurrence: 1, line: 1, preview: "start {" },
            { occurrence: 2, line: 5, preview: "start {" },
        ]);
        const beyond = await bench.refusal(editAfterAnchor, { ...input, occurrence: 3 });
        expect(beyond.message).to.include("no occurrence 3");
        await bench.edit(editAfterAnchor, { ...input, occurrence: 2 });
        expect(await bench.read("f")).to.equal(file.replace("  two", "  x\n  two"));
    });

    it("A line that contains the anchor several times counts once", async () => {
        const bench = await editBench({ f: "a a a\n" });
        const input = { path: "f", anchor: "a", content: "b" };
        const beyond = await bench.refusal(editBeforeAnchor, { ...input, occurrence: 2 });
        expect(beyond.message).to.match(/on 1 line\.$/);
        await bench.edit(editBeforeAnchor, input);
        expect(await bench.read("f")).to.equal("b\na a a\n");
    });

    it("A last line without a line break stays without one", async () => {
        const bench = await editBench({ f: "a\r\nb" });
        await bench.edit(editAfterAnchor, { path: "f", anchor: "b", content: "c\n" });
        expect(await bench.read("f")).to.equal("a\r\nb\r\nc");
    });

    it("Text between two anchors is replaced, with or without the anchors", async () => {
        const bench = await editBench({ f: file, g: file });
        const block = { blockStart: "start", blockEnd: "}", content: "  new", occurrence: 2 };
        await bench.edit(editReplaceBlock, { path: "f", ...block });
        expect(await bench.read("f")).to.equal(file.replace("  two", "  new"));
        await bench.edit(editReplaceBlock, { path: "g", ...block, inclusive: true });
        expect(await bench.read("g")).to.equal("start {\n  one\n}\nmiddle\n  new\n");
    });

    it("The end anchor is the first one after the start, even on the same line", async () => {
        const bench = await editBench({ f: "<a></a>\n<b>\n</a>\n", g: "---\nx\n---\n" });
        const block = { path: "f", blockStart: "<a>", blockEnd: "</a>", content: "" };
        const error = await bench.refusal(editReplaceBlock, block);
        expect(error.code).to.equal("anchors-on-one-line");
        await bench.edit(editReplaceBlock, { ...block, inclusive: true });
        expect(await bench.read("f")).to.equal("<b>\n</a>\n");
        const fence = { path: "g", blockStart: "---", blockEnd: "---", content: "y" };
        await bench.edit(editReplaceBlock, { ...fence, occurrence: 1 });
        expect(await bench.read("g")).to.equal("---\ny\n---\n");
    });

    it("An end anchor that is not after the start is reported with its place", async () => {
        const bench = await editBench({ f: "end\nstart\n" });
        const error = await bench.refusal(editReplaceBlock, {
            path: "f",
            blockStart: "start",
            blockEnd: "end",
            content: "",
        });
        expect(error.code).to.equal("anchor-not-found");
        expect(error.message).to.include("line 2").and.include("it is on line 1");
    });

    it("Each of the four modes does what its name says", async () => {
        const base = { path: "f", anchor: "b", content: "x" };
        for (const [mode, after] of [
            ["insert_before", "a\nx\nb\nc\nd\n"],
            ["insert_after", "a\nb\nx\nc\nd\n"],
            ["replace_line", "a\nx\nc\nd\n"],
        ] as const) {
            const bench = await editBench({ f: "a\nb\nc\nd\n" });
            await bench.edit(editByAnchor, { ...base, mode });
            expect(await bench.read("f")).to.equal(after);
        }
        const bench = await editBench({ f: "a\nb\nc\nd\n" });
        const between = { ...base, mode: "replace_between", anchorEnd: "d" } as const;
        await bench.edit(editByAnchor, between);
        expect(await bench.read("f")).to.equal("a\nb\nx\nd\n");
        await bench.edit(editByAnchor, { ...between, inclusive: true, content: "" });
        expect(await bench.read("f")).to.equal("a\n");
    });

    it("Fields of another mode are refused in anchor edits", async () => {
        const bench = await editBench({ f: "a\n" });
        const base = { path: "f", anchor: "a", content: "x" };
        for (const [extra, field] of [
            [{ mode: "replace_between" }, "anchorEnd"],
            [{ mode: "replace_line", anchorEnd: "a" }, "anchorEnd"],
            [{ mode: "insert_after", inclusive: true }, "inclusive"],
        ] as const) {
            const error = await bench.refusal(editByAnchor, { ...base, ...extra });
            expect(error).to.include({ code: "invalid-input" });
            expect(error.message).to.match(new RegExp(`^${field}: `));
        }
    });

    it("An anchor of several lines is refused", async () => {
        const bench = await editBench({ f: "a\nb\n" });
        const input = { path: "f", anchor: "a\nb", content: "" };
        const error = await bench.refusal(editAfterAnchor, input);
        expect(error.code).to.equal("invalid-anchor");
    });

    it("In a file that somebody changed only unique anchors are accepted", async () => {
        const bench = await editBench({ f: "a\nb\nb\nend\nend\n" });
        await bench.see("f");
        await bench.context.write("f", "new\na\nb\nb\nend\nend\n");
        const base = { path: "f", content: "x" };
        const counted = { ...base, anchor: "b", occurrence: 1 };
        expect((await bench.refusal(editAfterAnchor, counted)).code).to.equal("changed-since-read");
        const block = { ...base, blockStart: "a", blockEnd: "end" };
        expect((await bench.refusal(editReplaceBlock, block)).code).to.equal("changed-since-read");
        await bench.edit(editAfterAnchor, { ...base, anchor: "a", occurrence: 1 });
        expect(await bench.read("f")).to.equal("new\na\nx\nb\nb\nend\nend\n");
    });
});
