import { expect } from "chai";
import { sha256 } from "../../../src/base/sha256.js";
import { changeSetOf, PROJECT_AS_IT_IS, withChanges } from "../../../src/core/draft/view.js";
import type { ChangedFile } from "../../../src/plugin/index.js";

const contents = new Map(["one", "two", "three"].map((text) => [sha256(text), Buffer.from(text)]));
const store = {
    get: async (hash: string) => contents.get(hash) ?? Promise.reject(new Error(`no ${hash}`)),
};

function edit(path: string, before: string | null, after: string | null): ChangedFile {
    return {
        path,
        beforeHash: before && sha256(before),
        afterHash: after && sha256(after),
        ...(before === null ? {} : { modeBefore: 0o644 }),
        ...(after === null ? {} : { modeAfter: 0o644 }),
    };
}

describe("a view of the project", () => {
    it("joins successive changes of a path into its net change", () => {
        const first = withChanges(PROJECT_AS_IT_IS, [edit("a", "one", "two")]);
        const second = withChanges(first, [edit("a", "two", "three"), edit("b", null, "one")]);

        expect([...second.values()]).to.deep.equal([
            edit("a", "one", "three"),
            edit("b", null, "one"),
        ]);
        expect([...first.keys()], "a view is a value").to.deep.equal(["a"]);
    });

    it("leaves out a path that is again what the project has", () => {
        const changed = withChanges(PROJECT_AS_IT_IS, [
            edit("a", "one", "two"),
            edit("b", null, "one"),
            edit("c", "one", null),
        ]);
        const back = [edit("a", "two", "one"), edit("b", "one", null), edit("c", null, "one")];

        expect(withChanges(changed, back).size).to.equal(0);
    });

    it("keeps a path of which only the mode changed", () => {
        const view = withChanges(PROJECT_AS_IT_IS, [
            { ...edit("a", "one", "one"), modeAfter: 0o755 },
        ]);

        expect(view.get("a")).to.include({ modeBefore: 0o644, modeAfter: 0o755 });
    });

    it("becomes the change set that leads from the project to it", async () => {
        const view = withChanges(PROJECT_AS_IT_IS, [
            edit("b", "one", null),
            { ...edit("a", "one", "two"), modeAfter: 0o755 },
        ]);

        expect(await changeSetOf(view, store)).to.deep.equal({
            changes: [
                {
                    path: "a",
                    before: Buffer.from("one"),
                    beforeHash: sha256("one"),
                    after: Buffer.from("two"),
                    mode: 0o755,
                },
                { path: "b", before: Buffer.from("one"), beforeHash: sha256("one"), after: null },
            ],
        });
    });
});
