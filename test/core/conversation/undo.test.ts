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

describe("what undoing means", () => {
    const turns = [
        user(),
        change("one", [file("a", "a0", "a1")]),
        user(),
        change("two", [file("a", "a1", "a2"), file("b", null, "b1")]),
        change("three", [file("a", "a2", "a3")]),
        user(),
    ];

    it("takes back all changes of the last turn that has any, file by file as one", () => {
        expect(planUndo(turns)).to.deep.equal({
            undoes: ["two", "three"],
            isRedo: false,
            files: [file("a", "a1", "a3"), file("b", null, "b1")],
        });
    });

    it("takes back several turns", () => {
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

    it("does again what was taken back last", () => {
        expect(planUndo(undone)).to.deep.equal({
            undoes: ["four"],
            isRedo: true,
            files: [file("a", "a3", "a1"), file("b", "b1", null)],
        });
    });

    it("goes further back when told how far, past what is taken back already", () => {
        expect(planUndo(undone, 1).undoes).to.deep.equal(["one"]);
    });

    it("counts a turn again that was done again", () => {
        const redone = [...undone, change("five", [file("a", "a1", "a3")], ["four"])];
        expect(planUndo(redone, 1).undoes).to.deep.equal(["two", "three"]);
        expect(planUndo(redone).undoes).to.deep.equal(["five"]);
    });

    it("leaves out what came to nothing", () => {
        const entries = [
            change("one", [file("a", null, "a1")]),
            change("two", [file("a", "a1", null)]),
        ];
        expect(planUndo(entries).files).to.deep.equal([]);
    });

    it("refuses where something else changed a file between two changes", () => {
        const entries = [
            change("one", [file("a", "a0", "a1")]),
            change("two", [file("a", "x", "a2")]),
        ];
        expect(() => planUndo(entries)).to.throw("something else changed a");
    });

    it("says when there is nothing", () => {
        expect(() => planUndo([user()])).to.throw("There is no change to take back.");
    });
});
