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
        takeBothSides: async () => {
            settled.push("both sides");
            return "Both sides are in it.";
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

    it("/draft apply writes the draft after a yes, and nothing after a no", async () => {
        const settled: string[] = [];
        const no = openSlash({ draft: planned(settled), confirms: false });
        await draft.run("apply", no.context);
        expect(settled).to.deep.equal([]);
        const yes = openSlash({ draft: planned(settled), confirms: true });
        await draft.run("apply", yes.context);
        expect(settled).to.deep.equal(["applied"]);
        expect(yes.text()).to.contain("Draft applied to 1 file.");
    });

    it("/draft apply lists conflicts, and puts both sides into the draft after a yes", async () => {
        const settled: string[] = [];
        const conflicts = [{ path: "a.txt", text: "a.txt:1\n  draft  1\n  now    2" }];
        const no = openSlash({ draft: planned(settled, conflicts), confirms: false });
        await draft.run("apply", no.context);
        expect(settled).to.deep.equal([]);
        expect(no.text()).to.contain("Nothing was written.").and.contain("now    2");
        const yes = openSlash({ draft: planned(settled, conflicts), confirms: true });
        await draft.run("apply", yes.context);
        expect(settled).to.deep.equal(["both sides"]);
        expect(yes.text()).to.contain("Both sides are in it. Ask the model to resolve them.");
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
