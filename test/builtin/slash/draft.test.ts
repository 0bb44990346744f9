import { expect } from "chai";
import { draft } from "../../../src/builtin/slash/draft.js";
import type { PlannedDraft } from "../../../src/plugin/index.js";
import { openSlash } from "../../helpers/slash-session.js";

const CHANGE = { path: "a.txt", before: null, beforeHash: null, after: Buffer.from("1\n") };

function planned(settled: string[], conflicts: PlannedDraft["conflicts"] = []): PlannedDraft {
    return {
        changeSet: { changes: [CHANGE] },
        merged: [],
        conflicts,
        line: "1 file +1 -0 · not tested",
        apply: async () => {
            settled.push("applied");
            return ["Kept: 1 file not in git."];
        },
        discard: async () => void settled.push("discarded"),
    };
}

describe("/draft", () => {
    it("/draft without a draft says how to begin one", async () => {
        const { context, text } = openSlash();
        await draft.run("", context);
        expect(text()).to.contain("There is no draft.");
    });

    it("/draft apply leaves the question to the review that ends a turn, also with conflicts", async () => {
        const conflicts = [{ path: "a.txt", text: "a.txt:1\n  draft  1\n  now    2" }];
        for (const known of [[], conflicts]) {
            const settled: string[] = [];
            const { context, done } = openSlash({ draft: planned(settled, known), confirms: true });
            await draft.run("apply", context);
            expect(done).to.deep.equal(["Comparing the files", "review the draft"]);
            expect(settled).to.deep.equal([]);
        }
    });

    it("/draft shows a draft that conflicts, and names the files", async () => {
        const conflicts = [{ path: "a.txt", text: "a.txt:1\n  draft  1\n  now    2" }];
        const { context, text } = openSlash({ draft: planned([], conflicts) });
        await draft.run("", context);
        expect(text()).to.contain("Conflicts with changes made since: a.txt.");
    });

    it("/draft drop discards the draft after a yes", async () => {
        const settled: string[] = [];
        const { context } = openSlash({ draft: planned(settled), confirms: true });
        await draft.run("drop", context);
        expect(settled).to.deep.equal(["discarded"]);
    });
});
