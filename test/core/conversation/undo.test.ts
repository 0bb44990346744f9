import { expect } from "chai";
import type { ChangedFile, Entry } from "../../../src/plugin/records.js";
import { planUndo } from "../../../src/core/conversation/undo.js";

let id = 0;
const user = (): Entry => ({
    kind: "user",
    id: `user-${(id += 1)}`,
    at: 1,
    mode: "agent",
    text: "go on",
    content: [],
});
const change = (name: string, files: readonly ChangedFile[], undoes?: string[]): Entry => ({
    kind: "change",
    id: name,
    at: 1,
    files,
    ...(undoes ? { undoes } : {}),
});
const file = (path: string, beforeHash: string | null, afterHash: string | null) => ({
    path,
    beforeHash,
    afterHash,
});

describe("Planning an undo", () => {
    const turns = [
        user(),
        change("one", [file("a", "a0", "a1")]),
        user(),
        change("two", [file("a", "a1", "a2"), file("b", null, "b1")]),
        change("three", [file("a", "a2", "a3")]),
        user(),
    ];

    it("Undo reverts all changes of the last turn that made any, one step per file", () => {
        expect(planUndo(turns)).to.deep.equal({
            undoes: ["two", "three"],
            isRedo: false,
            files: [file("a", "a1", "a3"), file("b", null, "b1")],
        });
    });

    it("Undo can revert several turns", () => {
        expect(planUndo(turns, 2).undoes).to.deep.equal(["one", "two", "three"]);
        expect(planUndo(turns, 2).files).to.deep.equal([
            file("a", "a0", "a3"),
            file("b", null, "b1"),
        ]);
    });

    const undone = [
        ...turns,
        change("four", [file("a", "a3", "a1"), file("b", "b1", null)], ["two", "three"]),
    ];

    it("Redo reapplies the last undone turn", () => {
        expect(planUndo(undone)).to.deep.equal({
            undoes: ["four"],
            isRedo: true,
            files: [file("a", "a3", "a1"), file("b", "b1", null)],
        });
    });

    it("Undo of more turns than can be undone is refused", () => {
        expect(() => planUndo(turns, 3)).to.throw("Only 2 turns can be undone, not 3.");
        expect(() => planUndo(undone, 2)).to.throw("Only 1 turn can be undone, not 2.");
    });

    it("Undo with a count goes further back, past turns that are already undone", () => {
        expect(planUndo(undone, 1).undoes).to.deep.equal(["one"]);
    });

    it("A redone turn can be undone again", () => {
        const redone = [...undone, change("five", [file("a", "a1", "a3")], ["four"])];
        expect(planUndo(redone, 1).undoes).to.deep.equal(["two", "three"]);
        expect(planUndo(redone).undoes).to.deep.equal(["five"]);
    });

    it("Changes that were never applied are skipped", () => {
        const entries = [
            change("one", [file("a", null, "a1")]),
            change("two", [file("a", "a1", null)]),
        ];
        expect(planUndo(entries).files).to.deep.equal([]);
    });

    it("Undo is refused when something else changed a file between two changes", () => {
        const entries = [
            change("one", [file("a", "a0", "a1")]),
            change("two", [file("a", "x", "a2")]),
        ];
        const refusal = expect(() => planUndo(entries)).to.throw("something else changed a");
        refusal.with.nested.property("nextSteps[0]").that.contains("`/drop TURN`");
    });

    it("Tens of thousands of removed folders are planned in linear time", () => {
        const made = Array.from({ length: 20_000 }, (_, index) => `made-${index}`);
        const folder = (path: string) => ({ ...file(path, "", null), type: "folder" as const });
        const entries = [
            change(
                "one",
                [...made, "kept"].map((name) => file(`${name}/a`, null, "a1"))
            ),
            change("two", [
                ...made.map((name) => file(`${name}/a`, "a1", null)),
                ...[...made, "empty"].map(folder),
            ]),
        ];
        expect(planUndo(entries).files).to.deep.equal([
            file("kept/a", null, "a1"),
            folder("empty"),
        ]);
    });

    it("Undo says when there is nothing to undo", () => {
        expect(() => planUndo([user()]))
            .to.throw("Nothing to undo.")
            .with.nested.property("nextSteps[0]")
            .that.contains("with those of contained commands");
    });
});
