import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { NO_OUTPUTS } from "../../../src/core/approval/contained-runs.js";
import { discardDraft } from "../../../src/core/agent/changes/settle-draft.js";
import { NO_CHANGES } from "../../../src/core/approval/changes.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { sha256 } from "../../../src/base/sha256.js";
import { applyRecorded } from "../../../src/core/agent/changes/apply-recorded.js";
import { changeSetOf } from "../../../src/core/draft/view.js";
import { prepareDrop } from "../../../src/host/operations/drop-turn.js";
import { changedTurns } from "../../../src/host/operations/turn-list.js";
import { prepareRewind, prepareUndo } from "../../../src/host/operations/undo-changes.js";
import { fileTypes } from "../../../src/plugin/change-set.js";
import type { ChangedFile, DraftedEntry } from "../../../src/plugin/records.js";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { makeFolder, PROPERTY_RUNS } from "../../workspace/make-folder.js";

/** A conversation whose log has only what is drafted. */
class DraftLog {
    readonly state = new Conversation();
    private readonly root = makeFolder();
    private ids = 0;
    readonly contents = createObjectStore(makeFolder());

    readonly host = {
        root: this.root,
        project: {
            contents: this.contents,
            applier: createChangeApplier({ root: this.root }),
            grants: { changes: NO_CHANGES },
        },
        runtime: { now: () => 1, id: () => `id-${(this.ids += 1)}` },
        conversation: { record: this.state.apply.bind(this.state), sync: async () => {} },
    };

    say(): void {
        const at = { id: `user-${(this.ids += 1)}`, at: 1 };
        const entry = { ...at, kind: "user", mode: "draft", text: "go", content: [] } as const;
        this.state.apply({ type: "entry_added", entry });
    }

    async draft(files: readonly ChangedFile[], more: Partial<DraftedEntry> = {}): Promise<void> {
        const at = { id: `draft-${(this.ids += 1)}`, at: 1 };
        this.state.apply({
            type: "entry_added",
            entry: { ...at, kind: "drafted", files, ...more },
        });
    }

    async hash(text: string | null): Promise<string | null> {
        if (text === null) return null;
        await this.contents.putAll([Buffer.from(text)]);
        return sha256(Buffer.from(text));
    }

    async undo(turns?: number) {
        const planned = await prepareUndo(this.host, this.state.entries, turns);
        await planned.apply();
        return planned;
    }

    async discard(): Promise<void> {
        const draft = { outputs: async () => NO_OUTPUTS } as never;
        const conversation = { ...this.host.conversation, state: this.state };
        await discardDraft({ draft, conversation, runtime: this.host.runtime });
    }

    /** Writes the draft to the project, as its review does. */
    async apply(): Promise<void> {
        const changeSet = await changeSetOf(this.state.draft.view, this.contents);
        const applies = this.state.draft.entries.map(({ id }) => id);
        const outcome = await applyRecorded(this.host, changeSet, { applies });
        expect(outcome.kind).to.equal("applied");
    }

    files(): readonly string[] {
        return readdirSync(this.root);
    }

    read(path: string): string {
        return readFileSync(`${this.root}/${path}`, "utf8");
    }

    get view() {
        return [...this.state.draft.view.values()];
    }
}

describe("Undoing a draft", () => {
    it("Undo and redo work across a base that moved", async () => {
        const log = new DraftLog();
        const change = async (before: string | null, after: string | null) => ({
            path: "a.txt",
            beforeHash: await log.hash(before),
            afterHash: await log.hash(after),
        });
        const first = await change("base\n", "mine\n");
        log.say();
        await log.draft([first]);
        log.say();
        await log.draft([await change("moved\n", "both\n")], { isRebase: true });
        await log.draft([await change("both\n", "resolved\n")]);
        const resolved = log.view;
        expect(resolved).to.deep.equal([await change("moved\n", "resolved\n")]);

        const { changeSet } = await log.undo();
        expect(String(changeSet.changes[0]?.before)).to.equal("resolved\n");
        expect(String(changeSet.changes[0]?.after)).to.equal("mine\n");
        expect(log.view).to.deep.equal([first]);
        await log.undo();
        expect(log.view).to.deep.equal(resolved);
        await log.undo(2);
        expect(log.view).to.deep.equal([]);
        await log.undo();
        expect(log.view).to.deep.equal(resolved);
    });

    /** What is at a path: its type and text. */
    const version = fc.option(
        fc.record({
            kind: fc.constantFrom("file" as const, "link" as const, "folder" as const),
            text: fc.constantFrom("one", "two", "three"),
        }),
        { freq: 4 }
    );
    const name = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ path: name, after: version }) },
        { weight: 2, arbitrary: fc.constant("say" as const) },
        { weight: 2, arbitrary: fc.constantFrom("undo" as const, "discard" as const) },
        { weight: 1, arbitrary: fc.record({ moved: name, to: version }) }
    );
    type Version = { readonly kind: "file" | "link" | "folder"; readonly text: string } | null;

    it("Undo and redo restore what the draft was, whatever changed types or moved underneath", async () => {
        await fc.assert(
            fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
                const log = new DraftLog();
                const base = new Map<string, Version>();
                const now = new Map<string, Version>();
                const fileOf = async (path: string, before: Version, after: Version) => ({
                    path,
                    ...fileTypes(before?.kind, after?.kind),
                    beforeHash: await log.hash(before && before.text),
                    afterHash: await log.hash(after && after.text),
                });
                log.say();
                for (const each of steps) {
                    if (each === "say") {
                        log.say();
                    } else if (each === "discard") {
                        const before = log.view;
                        await log.discard();
                        expect(log.view, "discarded").to.deep.equal([]);
                        if (before.length > 0) await log.undo();
                        expect(log.view, "redone").to.have.deep.members(before);
                    } else if (each === "undo") {
                        const before = log.view;
                        const isDone = await log.undo().then(
                            () => true,
                            () => false
                        );
                        if (isDone) await log.undo();
                        expect(log.view, "undone and redone").to.have.deep.members(before);
                    } else if ("moved" in each) {
                        if (!now.has(each.moved)) continue;
                        base.set(each.moved, each.to);
                        const after = now.get(each.moved) ?? null;
                        const file = await fileOf(each.moved, each.to, after);
                        await log.draft([file], { isRebase: true });
                    } else {
                        const { path, after } = each;
                        const before = now.get(path) ?? base.get(path) ?? null;
                        await log.draft([await fileOf(path, before, after)]);
                        now.set(path, after);
                    }
                }
            }),
            { numRuns: PROPERTY_RUNS }
        );
    });
});

describe("Dropping a drafted turn", () => {
    let log: DraftLog;
    beforeEach(() => (log = new DraftLog()));

    async function turn(before: string | null, after: string | null, path = "a"): Promise<void> {
        log.say();
        const [beforeHash, afterHash] = [await log.hash(before), await log.hash(after)];
        await log.draft([{ path, beforeHash, afterHash }]);
    }

    async function drop(number: number): Promise<string> {
        const plan = await prepareDrop(log.host, log.state.entries, number);
        if (plan.kind === "conflicts") return plan.conflicts.map(({ text }) => text).join("\n");
        await plan.planned.apply();
        return plan.planned.isDrafted ? "dropped from the draft" : "dropped";
    }

    const states = () => changedTurns(log.state.entries).map(({ draft }) => draft?.join());
    const drafted = async (path = "a") => {
        const hash = log.state.draft.view.get(path)?.afterHash;
        return hash ? Buffer.from(await log.contents.get(hash)).toString() : hash;
    };

    it("A drop removes only the turn's part of an open draft; later edits stay, and an undo restores it", async () => {
        await turn(null, "1\n2\n3\n4\n5\n6\n");
        await turn("1\n2\n3\n4\n5\n6\n", "1\ntwo\n3\n4\n5\n6\n");
        await turn("1\ntwo\n3\n4\n5\n6\n", "1\ntwo\n3\n4\nfive\n6\n");
        await turn(null, "new\n", "b/c");
        expect(states()).to.deep.equal(["drafted", "drafted", "drafted", "drafted"]);
        expect(await drop(2)).to.equal("dropped from the draft");
        expect(await drafted()).to.equal("1\n2\n3\n4\nfive\n6\n");
        expect(states()).to.deep.equal(["drafted", "discarded", "drafted", "drafted"]);
        expect(await drop(4)).to.equal("dropped from the draft");
        expect(log.view.map(({ path }) => path)).to.deep.equal(["a"]);
        await log.undo();
        expect(await drafted("b/c")).to.equal("new\n");
        expect(states()).to.deep.equal(["drafted", "discarded", "drafted", "drafted"]);
        expect(log.files()).to.deep.equal([]);
    });

    it("A draft that is applied after a later message belongs to the turn that drafted it", async () => {
        await turn(null, "1\n");
        log.say();
        await log.apply();
        expect(states()).to.deep.equal(["applied"]);
        const refused = await drop(2).catch((error: unknown) => error);
        expect(String(refused)).to.contain("Turn 2 changed no file");
        expect(await drop(1)).to.equal("dropped");
        expect(log.files()).to.deep.equal([]);
    });

    it("Going back undoes the draft that was applied since, and no earlier edit", async () => {
        log.say();
        const edited = { path: "edited", beforeHash: null, afterHash: await log.hash("mine\n") };
        await applyRecorded(
            log.host,
            await changeSetOf(new Map([["edited", edited]]), log.contents),
            {}
        );
        await turn(null, "1\n");
        await turn("1\n", "2\n");
        await log.apply();
        await (await prepareRewind(log.host, log.state.entries, 1))?.apply();
        expect(log.files()).to.deep.equal(["edited"]);
        expect(await prepareRewind(log.host, log.state.entries, 1)).to.equal(undefined);
    });

    it("Lines that a later turn drafted too are a conflict, and the draft stays as it is", async () => {
        await turn(null, "1\n");
        await turn("1\n", "two\n");
        await turn("two\n", "three\n");
        expect(await drop(2)).to.contain("a:1");
        expect(await drafted()).to.equal("three\n");
    });

    it("After a draft is applied, only the turn's own part of it is dropped from the project", async () => {
        await turn(null, "1\n2\n3\n4\n");
        await turn("1\n2\n3\n4\n", "one\n2\n3\n4\n");
        await log.apply();
        await turn("one\n2\n3\n4\n", null);
        await log.discard();
        expect(states()).to.deep.equal(["applied", "applied", "discarded"]);
        expect(await drop(2)).to.equal("dropped");
        expect(log.read("a")).to.equal("1\n2\n3\n4\n");
        expect(states()).to.deep.equal(["applied", "discarded", "discarded"]);
        const refusal = await drop(3).catch((error: Error) => error.message);
        expect(refusal).to.equal("The edits of turn 3 are already undone.");
    });
});
