import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import * as fc from "fast-check";
import { builtin } from "../../../src/builtin/index.js";
import { editApplyBatch } from "../../../src/builtin/tools/edit-apply-batch.js";
import type { JsonObject } from "../../../src/plugin/index.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { snapshot } from "../../workspace/apply/apply-fixture.js";
import { bytesOf, sampleFile } from "./editing/file-samples.js";
import { editBench } from "./edit-support.js";

const batch = (...edits: [toolName: string, args: JsonObject][]) => ({
    edits: edits.map(([toolName, args]) => ({ toolName, args })),
});

describe("edit_apply_batch", () => {
    it("All edits make one change set, and each sees those before it", async () => {
        const bench = await editBench({ a: "one\ntwo\n", b: "b\n" });
        const { changes } = await bench.edit(
            editApplyBatch,
            batch(
                ["edit_replace_exact", { path: "a", old: "one", new: "first\nsecond" }],
                ["edit_insert_at_line", { path: "a", line: 3, content: "between" }],
                ["edit_create_file", { path: "new/c", content: "c\n" }],
                ["edit_after_anchor", { path: "new/c", anchor: "c", content: "d" }],
                ["edit_before_anchor", { path: "./b", anchor: "b", content: "a" }],
                ["edit_by_anchor", { path: "b", mode: "replace_line", anchor: "b", content: "B" }],
                [
                    "edit_replace_block",
                    { path: "a", blockStart: "first", blockEnd: "two", content: "x" },
                ]
            )
        );
        expect(changes.map((change) => change.path)).to.deep.equal(["a", "new/c", "b"]);
        expect(snapshot(bench.context.root)).to.deep.equal({
            a: "first\nx\ntwo\n",
            b: "a\nB\n",
            new: "<folder>",
            "new/c": "c\nd\n",
        });
    });

    it("A failing edit is named, and no edit is made", async () => {
        const bench = await editBench({ a: "one\n" });
        const before = snapshot(bench.context.root);
        const error = await bench.refusal(
            editApplyBatch,
            batch(
                ["edit_replace_exact", { path: "a", old: "one", new: "1" }],
                ["edit_replace_exact", { path: "a", old: "one", new: "2" }]
            )
        );
        expect(error.code).to.equal("text-not-found");
        expect(error.message).to.match(/^edits\[1\] \(edit_replace_exact\): /);
        expect(snapshot(bench.context.root)).to.deep.equal(before);
    });

    it("An edit that changes nothing is skipped and named while another one changes something", async () => {
        const { context } = await editBench({ a: "one\n", b: "two\n" });
        const input = batch(
            ["edit_replace_exact", { path: "a", old: "one", new: "one" }],
            ["edit_replace_exact", { path: "b", old: "two", new: "2" }]
        );
        const proposal = await editApplyBatch.propose(input, context);
        if (!proposal.ok) throw new Error(proposal.error.message);
        expect(proposal.changeSet.changes.map((change) => change.path)).to.deep.equal(["b"]);
        expect(proposal.notes).to.deep.equal([
            "edits[0] changed nothing: the file already had this content.",
        ]);
    });

    it("An edit that fits only the file before the batch fails with that reason", async () => {
        const bench = await editBench({ a: "one\ntwo\n" });
        const rename = { path: "a", old: "one", new: "1" };
        const late = { path: "a", old: "one\ntwo", new: "x" };
        const replace = "edit_replace_exact";
        const { hint } = await bench.refusal(
            editApplyBatch,
            batch([replace, rename], [replace, late])
        );
        expect(hint).to.match(/^It matches the file as it was before this batch/);
        const never = { path: "a", old: "three", new: "x" };
        const other = await bench.refusal(
            editApplyBatch,
            batch([replace, rename], [replace, never])
        );
        expect(other.hint).not.to.contain("before this batch");
    });

    it("A batch passes on the candidates and error code of a failing edit", async () => {
        const bench = await editBench({ a: "x\nx\n" });
        const ambiguous = await bench.refusal(
            editApplyBatch,
            batch(["edit_after_anchor", { path: "a", anchor: "x", content: "" }])
        );
        expect(ambiguous.candidates).to.have.lengthOf(2);
        for (const [file, code] of [
            ["missing", "not-found"],
            ["../out", "outside-repository"],
            [".git/config", "protected-path"],
        ] as const) {
            const args = { path: file, old: "a", new: "b" };
            const error = await bench.refusal(editApplyBatch, batch(["edit_replace_exact", args]));
            expect(error.code).to.equal(code);
            expect(error.message).to.match(/^edits\[0\]/);
        }
    });

    it("An ignored file can be read but not edited", async () => {
        const file = "node_modules/x/index.js";
        const bench = await editBench({ [file]: "one\n" });
        const edit = { path: file, old: "one", new: "1" };
        const error = await bench.refusal(editApplyBatch, batch(["edit_replace_exact", edit]));
        expect(error.code).to.equal("ignored");
    });

    it("Each edit's input is checked, and the error names the field", async () => {
        const bench = await editBench({ a: "x" });
        for (const [toolName, args, message] of [
            ["edit_replace_exact", { path: "a", new: "" }, /`old` is missing/],
            ["edit_replace_exact", { path: "a", old: 1, new: "" }, /`old` must be of type string/],
            ["edit_replace_exact", { path: "a", old: "", new: "" }, /`old` /],
            ["edit_after_anchor", { path: "a", anchor: "", content: "" }, /`anchor` /],
            ["edit_insert_at_line", { path: "a", line: 0, content: "" }, /`line` must be >= 1/],
            [
                "edit_create_file",
                { path: "b", content: "", mode: 1 },
                /`mode` is not a known field/,
            ],
            [
                "edit_by_anchor",
                { path: "a", mode: "x", anchor: "x", content: "" },
                /`mode` must be one of "insert_before", "insert_after"/,
            ],
            ["edit_apply_batch", { edits: [] }, /a batch cannot contain a batch/],
            ["read_file", { path: "a" }, /toolName: no such edit tool/],
        ] as const) {
            const error = await bench.refusal(editApplyBatch, batch([toolName, args]));
            expect(error.code).to.equal("invalid-input");
            expect(error.message).to.match(message);
        }
    });

    it("Unambiguous input is coerced as in a single call", async () => {
        const bench = await editBench({ a: "x\n" });
        const anchored = { path: "a", anchor: "x", content: "y", occurrence: null };
        await bench.edit(
            editApplyBatch,
            batch(
                ["edit_after_anchor", { ...anchored, description: "Adds y" }],
                ["Edit_Insert_At_Line", { path: "a", line: "1", content: "w" }]
            )
        );
        expect(await bench.read("a")).to.equal("w\nx\ny\n");
    });

    it("Edits that change nothing, alone or together, are refused", async () => {
        const bench = await editBench({ a: "x" });
        const there = ["edit_replace_exact", { path: "a", old: "x", new: "y" }] as const;
        const back = ["edit_replace_exact", { path: "a", old: "y", new: "x" }] as const;
        const same = ["edit_replace_exact", { path: "a", old: "x", new: "x" }] as const;
        const together = await bench.refusal(editApplyBatch, batch([...there], [...back]));
        expect(together.code).to.equal("no-change");
        const alone = await bench.refusal(editApplyBatch, batch([...same]));
        expect(alone).to.include({ code: "no-change" });
        expect(alone.message).to.include("edits[0]");
    });

    it("Each file is checked against the version that the model has seen", async () => {
        const bench = await editBench({ a: "x\n" });
        await bench.see("a");
        await bench.context.write("a", "y\nx\n");
        const error = await bench.refusal(
            editApplyBatch,
            batch(
                ["edit_replace_exact", { path: "a", old: "x", new: "z" }],
                ["edit_insert_at_line", { path: "a", line: 1, content: "w" }]
            )
        );
        expect(error.code).to.equal("changed-since-read");
        expect(error.message).to.include("edits[1]");
    });

    it("The intent line names the file or counts the files", () => {
        const one = ["edit_replace_exact", { path: "a.ts" }] as const;
        expect(editApplyBatch.intent(batch([...one], [...one]))).to.equal("Editing a.ts");
        expect(
            editApplyBatch.intent(batch([...one], ["x", { path: "b" }], ["x", { path: "c" }]))
        ).to.equal("Editing 3 files");
    });

    it("Line edits of any file equal the same edits of an array of lines", async () => {
        const bench = await editBench();
        const applier = createChangeApplier({ root: bench.context.root });
        const target = path.join(bench.context.root, "f");
        await fc.assert(
            fc.asyncProperty(
                sampleFile,
                fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
                async (file, chosen) => {
                    // Marks make every line an anchor of its own; the edits do not overlap.
                    const marked = file.lines.map((line, index) => ({
                        ...line,
                        text: Buffer.concat([Buffer.from(`<${index}>`), line.text]),
                    }));
                    const indices = marked.map((_, index) => index);
                    const edited = indices.filter((index) => chosen[index]);
                    if (edited.length === 0) return;
                    writeFileSync(target, bytesOf({ ...file, lines: marked }));
                    const proposal = await editApplyBatch.propose(
                        batch(
                            ...edited.reverse().map((index): [string, JsonObject] => [
                                "edit_by_anchor",
                                {
                                    path: "f",
                                    mode: "replace_line",
                                    anchor: `<${index}>`,
                                    content: `new ${index}`,
                                },
                            ])
                        ),
                        bench.context
                    );
                    if (!proposal.ok) throw new Error(proposal.error.message);
                    await applier.apply(proposal.changeSet);
                    const expected = marked.map((line, index) =>
                        chosen[index] ? { ...line, text: Buffer.from(`new ${index}`) } : line
                    );
                    expect(await bench.read("f")).to.equal(
                        bytesOf({ ...file, lines: expected }).toString("latin1")
                    );
                }
            ),
            { numRuns: 60 }
        );
    });

    it("No byte changes when any edit fails, whichever it is", async () => {
        await fc.assert(
            fc.asyncProperty(fc.nat(5), fc.integer({ min: 1, max: 6 }), async (at, count) => {
                const bench = await editBench({ a: "0\n", b: "0\n" });
                const before = snapshot(bench.context.root);
                const edits = Array.from({ length: count }, (_, index): [string, JsonObject] => [
                    "edit_insert_at_line",
                    { path: index % 2 === 0 ? "a" : "b", line: 1, content: String(index) },
                ]);
                const index = at % (count + 1);
                edits.splice(index, 0, [
                    "edit_after_anchor",
                    { path: "a", anchor: "none", content: "" },
                ]);
                const error = await bench.refusal(editApplyBatch, batch(...edits));
                expect(error.message).to.include(`edits[${index}]`);
                expect(snapshot(bench.context.root)).to.deep.equal(before);
            }),
            { numRuns: 30 }
        );
    });

    it("A file that changed between review and apply is never overwritten", async () => {
        await fc.assert(
            fc.asyncProperty(fc.boolean(), fc.string(), async (changesFirst, theirs) => {
                const bench = await editBench({ a: "1\n", b: "1\n" });
                const proposal = await editApplyBatch.propose(
                    batch(
                        ["edit_replace_exact", { path: "a", old: "1", new: "2" }],
                        ["edit_replace_exact", { path: "b", old: "1", new: "2" }],
                        ["edit_create_file", { path: "c", content: "" }]
                    ),
                    bench.context
                );
                if (!proposal.ok) throw new Error(proposal.error.message);
                const changed = changesFirst ? "a" : "b";
                if (theirs === "1\n") return;
                await bench.context.write(changed, theirs);
                const before = snapshot(bench.context.root);
                const outcome = await createChangeApplier({ root: bench.context.root }).apply(
                    proposal.changeSet
                );
                expect(outcome).to.deep.equal({ kind: "stale", paths: [changed] });
                expect(snapshot(bench.context.root)).to.deep.equal(before);
            }),
            { numRuns: 20 }
        );
    });
});

describe("All edit tools", () => {
    it("Every edit tool is a write tool with a closed schema of few tokens", async () => {
        const tools = (builtin.tools ?? []).filter(({ name }) => name.startsWith("edit_"));
        expect(tools).to.have.length(8);
        let characters = 0;
        for (const tool of tools) {
            expect(tool).to.include({ approval: "write", readOnly: false });
            expect(tool.inputSchema).to.include({ type: "object", additionalProperties: false });
            characters += JSON.stringify([tool.name, tool.description, tool.inputSchema]).length;
        }
        expect(characters / 4).to.be.lessThan(1500);
    });
});
