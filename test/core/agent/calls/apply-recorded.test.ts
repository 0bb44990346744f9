import { expect } from "chai";
import type { ChangeSet, WriteTool } from "../../../../src/plugin/index.js";
import { NorthError } from "../../../../src/base/north-error.js";
import { applyRecorded } from "../../../../src/core/agent/changes/apply-recorded.js";
import type { ChangeEntry } from "../../../../src/plugin/records.js";
import { TurnStopped, type ApplyOutcome } from "../../../../src/core/agent/turn.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness, type TurnHarness } from "../../../helpers/turn.js";

const BEFORE = Buffer.from("before");
const AFTER = Buffer.from("after");
const NEW = Buffer.from("new");
const CHANGES: ChangeSet = {
    changes: [
        { path: "a.txt", before: BEFORE, beforeHash: "hash-before", after: AFTER },
        { path: "b.txt", before: null, beforeHash: null, after: NEW },
    ],
};
const OUTCOME: ApplyOutcome = {
    kind: "applied",
    files: [
        {
            path: "a.txt",
            beforeHash: "hash-before",
            afterHash: "hash-after",
            modeBefore: 0o644,
            modeAfter: 0o644,
        },
        { path: "b.txt", beforeHash: null, afterHash: "hash-new", modeAfter: 0o644 },
    ],
};

const write: WriteTool = {
    name: "write",
    description: "Writes.",
    inputSchema: { type: "object" },
    readOnly: false,
    approval: "write",
    intent: () => "Editing a.txt",
    propose: async () => ({ ok: true, changeSet: CHANGES }),
};

function changesIn({ records }: TurnHarness): ChangeEntry[] {
    return records.flatMap((record) =>
        record.type === "entry_added" && record.entry.kind === "change" ? record.entry : []
    );
}

describe("applyRecorded", () => {
    it("The contents before and after a change are stored, and the log holds what undo needs", async () => {
        const model = new ScriptedModel([calls(["call_1", "write", {}]), says("Done.")]);
        const runGrants = { acceptEdits: true, approveShell: false };
        const harness = turnHarness(model, [write], { runGrants, applyOutcome: OUTCOME });
        const kept: Uint8Array[] = [];
        const contents = {
            ...harness.turn.project.contents,
            put: async (bytes: Uint8Array) => `kept-${kept.push(bytes)}`,
        };
        const project = { ...harness.turn.project, contents };
        await drain({ ...harness.turn, project });
        expect(kept).to.deep.equal([BEFORE, AFTER, NEW]);
        expect(changesIn(harness).map(({ id: _id, ...change }) => change)).to.deep.equal([
            {
                kind: "change",
                at: 1_000,
                callId: "call_1",
                files: [
                    {
                        path: "a.txt",
                        beforeHash: "hash-before",
                        afterHash: "hash-after",
                        modeBefore: 0o644,
                        modeAfter: 0o644,
                    },
                    { path: "b.txt", beforeHash: null, afterHash: "hash-new", modeAfter: 0o644 },
                ],
            },
        ]);
    });

    it("A change is logged with its call's outcome before a cancel in the middle of it takes effect", async () => {
        const model = new ScriptedModel([calls(["call_1", "write", {}])]);
        const controller = new AbortController();
        const runGrants = { acceptEdits: true, approveShell: false };
        const applier = {
            resolve: async (changeSet: ChangeSet) => changeSet,
            apply: async () => {
                controller.abort(new TurnStopped("cancelled"));
                await new Promise((resolve) => setImmediate(resolve));
                return OUTCOME;
            },
        };
        const { signal } = controller;
        const harness = turnHarness(model, [write], { runGrants, applier, signal });
        const { outcome } = await drain(harness.turn);
        expect(outcome.stopReason).to.equal("cancelled");
        expect(changesIn(harness).length).to.equal(1);
        expect(harness.conversation.messages.at(-1)).to.deep.include({ role: "tool" });
        expect(JSON.stringify(harness.conversation.messages.at(-1))).to.include("applied");
    });

    it("No change starts once the turn is cancelled", async () => {
        const model = new ScriptedModel([calls(["call_1", "write", {}])]);
        const controller = new AbortController();
        const approver = {
            decide: async () => {
                controller.abort(new TurnStopped("cancelled"));
                return { kind: "approve" } as const;
            },
        };
        const { signal } = controller;
        const harness = turnHarness(model, [write], { approver, signal });
        const { outcome } = await drain(harness.turn);
        expect(outcome.stopReason).to.equal("cancelled");
        expect(harness.applied).to.deep.equal([]);
    });

    it("No change is applied when the previous content cannot be stored", async () => {
        const { turn, applied } = turnHarness(new ScriptedModel([]));
        const full = new NorthError("disk-full", "The disk is full.");
        const contents = { ...turn.project.contents, put: () => Promise.reject(full) };
        const project = { ...turn.project, contents };
        const told = await applyRecorded({ ...turn, project }, CHANGES, {}).catch(
            (error: unknown) => error
        );
        expect(told).to.equal(full);
        expect(applied).to.deep.equal([]);
    });

    it("No change is logged when the files differ from the reviewed ones", async () => {
        const applyOutcome = { kind: "stale", paths: ["a.txt"] } as const;
        const harness = turnHarness(new ScriptedModel([]), [], { applyOutcome });
        expect(await applyRecorded(harness.turn, CHANGES, {})).to.deep.equal(applyOutcome);
        expect(changesIn(harness)).to.deep.equal([]);
    });
});
