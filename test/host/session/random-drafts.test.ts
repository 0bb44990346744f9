import { expect } from "chai";
import fc from "fast-check";
import { rmSync } from "node:fs";
import path from "node:path";
import { NorthError } from "../../../src/base/north-error.js";
import type { ApprovalRequest, Decision } from "../../../src/core/approval/approver.js";
import type { ChangeSet } from "../../../src/plugin/index.js";
import type { ToolResultEntry } from "../../../src/plugin/records.js";
import { commandOf, copyOf, Drafting, folderOf, stepRuns } from "../../helpers/drafting.js";
import { patient } from "../../helpers/patience.js";
import { changesBetween, snapshot, steps } from "../../helpers/random-changes.js";
import { calls, says, type ScriptedReply } from "../../helpers/scripted-model.js";
import { makeFolder, PROPERTY_RUNS } from "../../workspace/make-folder.js";

const START = {
    "a.ts": "one\ntwo\nthree\n",
    "b.txt": "text\r\nmore\r\n",
    "src/a.ts": "in src\n",
    "src/docs/b.txt": "deep",
    "docs/größe.md": "groß\n",
};

const place = fc.constantFrom(...Object.keys(START), "new.txt", "src/new/deep.ts", "link", "docs");
const text = fc.constantFrom("fresh\n", "one\nfresh\nthree\n", "no newline", "", "\ufeffmark\n");

/** What a model does, as one reply. */
const action = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("write" as const), place, text }) },
    {
        weight: 3,
        arbitrary: fc.record({
            kind: fc.constant("replace" as const),
            place,
            old: fc.constantFrom("one", "text", "in src", "fresh", "deep"),
            text,
        }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("stream" as const), place, text }) },
    { weight: 3, arbitrary: steps(5).map((taken) => ({ kind: "command" as const, taken })) }
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

const turn = fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    /** Whether it is undone right after, or undone and redone. */
    after: fc.constantFrom("stays", "stays", "undone", "redone"),
});

let ids = 0;

function replyOf(action: Action): ScriptedReply {
    const id = `call-${(ids += 1)}`;
    switch (action.kind) {
        case "write": {
            const input = { path: action.place, content: action.text, overwrite: true };
            return calls([id, "edit_create_file", input]);
        }
        case "replace": {
            const input = { path: action.place, old: action.old, new: action.text };
            return calls([id, "edit_replace_exact", input]);
        }
        case "stream": {
            const body = action.text === "" ? "" : `${action.text.replace(/\n$/, "")}\n`;
            return says(`<NORTH_FILE path="${action.place}">\n${body}</NORTH_FILE>`);
        }
        case "command":
            return calls([id, "shell_run", { command: commandOf(action.taken) }]);
        default:
            return action satisfies never;
    }
}

/** What the model learns of a call, without what tells the modes apart. */
function learned({ ok, content }: ToolResultEntry): string {
    const { error } = JSON.parse(content) as { error?: { code: string } };
    return ok ? "ok" : String(error?.code);
}

const LATER: Decision = { kind: "deny" };

/** Approves all edits, and answers a draft's review; keeps what that showed. */
class Answers {
    shown: ChangeSet | undefined;
    review: Decision = LATER;

    readonly decide = (request: ApprovalRequest): Decision => {
        if (request.kind !== "write") return { kind: "deny" };
        if (!request.draft) return { kind: "approve" };
        this.shown = request.changeSet;
        return this.review;
    };
}

/** A change set as the changes between two folders; folders may come with what is in them. */
function written({ changes }: ChangeSet) {
    return changes
        .filter(
            ({ path: folder, type, before }) =>
                type !== "folder" ||
                before !== null ||
                !changes.some((each) => each.path.startsWith(`${folder}/`) && each.after)
        )
        .map(({ path: file, type, before, after }) => ({
            file,
            type,
            before: before && Buffer.from(before).toString("hex"),
            after: after && Buffer.from(after).toString("hex"),
        }))
        .sort((one, other) => (one.file < other.file ? -1 : 1));
}

async function changed(before: string, after: string) {
    const { changes, contents } = changesBetween(before, after);
    const { changeSetOf } = await import("../../../src/core/draft/view.js");
    return written(await changeSetOf(changes, contents));
}

describe("Random turns in a draft", () => {
    it("A draft is what the same turns do for real in a copy, discarding leaves no trace, and applying writes what was shown", async function () {
        this.timeout(patient(300_000));
        await fc.assert(
            fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
                const root = makeFolder(START);
                const [start, copy] = [copyOf(root), copyOf(root)];
                const drafted = new Drafting(root, "draft", { contained: stepRuns(root) });
                const real = new Drafting(copy, "agent", { contained: stepRuns(copy) });
                const answers = new Answers();
                const trees: string[] = [];
                const view = async () => {
                    const files = drafted.conversation.draft.view;
                    const folder = await folderOf(root, { files, contents: drafted.contents });
                    trees.push(folder);
                    return snapshot(folder);
                };
                try {
                    for (const { actions, after } of turns) {
                        const script = () => [...actions.map(replyOf), says("Done.")];
                        const inDraft = await drafted.turn(script(), answers.decide);
                        const forReal = await real.turn(script(), answers.decide);
                        expect(inDraft.map(learned)).to.deep.equal(forReal.map(learned));
                        expect(await view()).to.deep.equal(snapshot(copy));
                        const undos = { stays: 0, undone: 1, redone: 2 }[after] ?? 0;
                        for (let done = 0; done < undos; done += 1) {
                            const end = await undone(real);
                            // Without a draft, folders that files made are not recorded.
                            if (!["undone", "nothing-to-undo"].includes(end)) return;
                            expect(await undone(drafted)).to.equal(end);
                            expect(await view()).to.deep.equal(snapshot(copy));
                        }
                        expect(snapshot(root)).to.deep.equal(snapshot(start));
                    }
                    const isOpen = drafted.conversation.draft.view.size > 0;
                    const touch = { path: "touched.txt", content: "touched\n", overwrite: true };
                    const again = () => [
                        calls([`touch-${(ids += 1)}`, "edit_create_file", touch]),
                        says("Done."),
                    ];
                    answers.review = { kind: "discard" };
                    await drafted.turn(again(), answers.decide);
                    expect(snapshot(root)).to.deep.equal(snapshot(start));
                    expect([...drafted.conversation.draft.view]).to.deep.equal([]);
                    if (!isOpen) return;
                    await drafted.undo();
                    await real.turn(again(), answers.decide);
                    expect(await view()).to.deep.equal(snapshot(copy));
                    answers.review = { kind: "approve" };
                    const last = { path: "last.txt", content: "last\n", overwrite: true };
                    const end = () => [calls(["last", "edit_create_file", last]), says("Done.")];
                    await drafted.turn(end(), answers.decide);
                    await real.turn(end(), answers.decide);
                    expect(snapshot(root)).to.deep.equal(snapshot(copy));
                    expect(written(answers.shown ?? { changes: [] })).to.deep.equal(
                        await changed(start, root)
                    );
                } finally {
                    for (const folder of [start, copy, ...trees]) {
                        rmSync(path.dirname(folder), { recursive: true, force: true });
                    }
                    rmSync(root, { recursive: true, force: true });
                }
            }),
            { numRuns: Math.ceil(PROPERTY_RUNS / 10) }
        );
    });
});

/** Undoes the last turn's edits, or resolves to why not. */
async function undone(place: Drafting): Promise<string> {
    return place.undo().then(
        () => "undone",
        (error: unknown) => {
            if (error instanceof NorthError) return error.code;
            throw error;
        }
    );
}
