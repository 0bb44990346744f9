import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { applyRecorded } from "../../../src/core/agent/changes/apply-recorded.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import type { Entry, JournalRecord } from "../../../src/plugin/records.js";
import { resolveInterruptedChanges } from "../../../src/host/conversations/open-conversation.js";
import { prepareUndo, type UndoHost } from "../../../src/host/operations/undo-changes.js";
import { fileTypes, type FileType } from "../../../src/plugin/change-set.js";
import type { FileChange } from "../../../src/plugin/index.js";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { NO_CHANGES } from "../../../src/core/approval/changes.js";
import { patient } from "../../helpers/patience.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";

const PATHS = ["a.txt", "deep/er/b.bin", "c d.sh", "ü.md"] as const;

/** Bytes and permission bits of every file. */
type Tree = Readonly<Record<string, { readonly bytes: string; readonly mode: number }>>;

interface Edit {
    readonly path: string;
    readonly after: Uint8Array | null;
    readonly mode?: number;
}

const edit: fc.Arbitrary<Edit> = fc.record(
    {
        path: fc.constantFrom(...PATHS),
        after: fc.option(fc.uint8Array({ maxLength: 40 }), { freq: 4 }),
        mode: fc.constantFrom(0o600, 0o644, 0o755),
    },
    { requiredKeys: ["path", "after"] }
);

/** A turn is some calls, each of which changes some files at once. */
const call = fc.uniqueArray(edit, {
    selector: ({ path: file }) => file,
    minLength: 1,
    maxLength: 3,
});
const turn = fc.array(call, { minLength: 1, maxLength: 3 });

describe("Undoing changes", () => {
    let top: string;
    let root: string;
    let entries: Entry[];
    let place: UndoHost;
    let ids: number;

    beforeEach(() => {
        top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-undo-")));
        begin();
    });
    afterEach(() => fs.rmSync(top, { recursive: true, force: true }));

    /** An empty repository and a conversation in which nothing was said. */
    function begin(): void {
        root = fs.mkdtempSync(path.join(top, "root-"));
        entries = [];
        ids = 0;
        place = {
            root,
            project: {
                contents: createObjectStore(path.join(top, "data")),
                applier: createChangeApplier({ root }),
                grants: { changes: NO_CHANGES },
            },
            runtime: { now: () => 1, id: () => `id-${(ids += 1)}` },
            conversation: {
                record: (record) => {
                    if (record.type === "entry_added") entries.push(record.entry);
                },
                sync: async () => {},
            },
        };
    }

    const placeOf = (file: string) => path.join(root, file);

    function write(file: string, content: string | Uint8Array, mode = 0o644): void {
        fs.mkdirSync(path.dirname(placeOf(file)), { recursive: true });
        fs.writeFileSync(placeOf(file), content);
        fs.chmodSync(placeOf(file), mode);
    }

    function tree(): Tree {
        const files = PATHS.filter((file) => fs.existsSync(placeOf(file)));
        const state = (file: string) => ({
            bytes: fs.readFileSync(placeOf(file)).toString("hex"),
            mode: fs.statSync(placeOf(file)).mode & 0o7777,
        });
        return Object.fromEntries(files.map((file) => [file, state(file)]));
    }

    function changeOf({ path: file, after, mode }: Edit): FileChange {
        const before = fs.existsSync(placeOf(file)) ? fs.readFileSync(placeOf(file)) : null;
        const beforeHash = before && createHash("sha256").update(before).digest("hex");
        return { path: file, before, beforeHash, after, ...(mode === undefined ? {} : { mode }) };
    }

    async function apply(...edits: readonly Edit[]): Promise<void> {
        const outcome = await applyRecorded(place, { changes: edits.map(changeOf) }, {});
        expect(outcome.kind).to.equal("applied");
    }

    function say(): void {
        const id = `user-${entries.length}`;
        entries.push({ kind: "user", id, at: 1, mode: "agent", text: "go on", content: [] });
    }

    async function undo(turns?: number): Promise<void> {
        await (await prepareUndo(place, entries, turns)).apply();
    }

    async function failure(turns?: number): Promise<string> {
        return prepareUndo(place, entries, turns).then(
            () => "no failure",
            (error: Error) => error.message
        );
    }

    it("A folder that became a link comes back with its files, also after a second change", async () => {
        const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
        const [empty, target, text] = [Buffer.alloc(0), Buffer.from("other"), Buffer.from("text")];
        write("folder/f", "f", 0o640);
        write("other/f", "the link's");
        const swap = (type: FileType, before: Buffer, typeAfter: FileType, after: Buffer) => ({
            ...{ path: "folder", before, beforeHash: hash(before), after },
            ...fileTypes(type, typeAfter),
        });
        say();
        const inside = { ...changeOf({ path: "folder/f", after: null }) };
        await applyRecorded(
            place,
            { changes: [swap("folder", empty, "link", target), inside] },
            {}
        );
        expect(fs.readlinkSync(placeOf("folder"))).to.equal("other");
        await undo();
        expect(fs.readFileSync(placeOf("folder/f"), "utf8")).to.equal("f");
        expect(fs.statSync(placeOf("folder/f")).mode & 0o777).to.equal(0o640);
        await undo();
        expect(fs.readlinkSync(placeOf("folder"))).to.equal("other");
        await applyRecorded(place, { changes: [swap("link", target, "file", text)] }, {});
        expect(fs.readFileSync(placeOf("folder"), "utf8")).to.equal("text");
        expect(fs.readFileSync(placeOf("other/f"), "utf8")).to.equal("the link's");
        await undo(1);
        expect(fs.readFileSync(placeOf("folder/f"), "utf8")).to.equal("f");
        expect(fs.readFileSync(placeOf("other/f"), "utf8")).to.equal("the link's");
    });

    it("Links and folders are undone and redone", async () => {
        const empty = Buffer.alloc(0);
        const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
        fs.mkdirSync(placeOf("old"), { mode: 0o750 });
        write("old/f", "f");
        const target = Buffer.from("old/f");
        say();
        await applyRecorded(
            place,
            {
                changes: [
                    {
                        path: "old",
                        type: "folder",
                        before: empty,
                        beforeHash: hash(empty),
                        after: null,
                    },
                    changeOf({ path: "old/f", after: null }),
                    { path: "new", type: "folder", before: null, beforeHash: null, after: empty },
                    { path: "link", type: "link", before: null, beforeHash: null, after: target },
                ],
            },
            {}
        );
        expect(fs.readdirSync(root).sort()).to.deep.equal(["link", "new"]);
        await undo();
        expect(fs.readdirSync(root)).to.deep.equal(["old"]);
        expect(fs.readFileSync(placeOf("old/f"), "utf8")).to.equal("f");
        expect(fs.statSync(placeOf("old")).mode & 0o777).to.equal(0o750);
        await undo();
        expect(fs.readdirSync(root).sort()).to.deep.equal(["link", "new"]);
        expect(fs.readlinkSync(placeOf("link"))).to.equal("old/f");
    });

    it("No folder stays where an edit made it and a command replaced or deleted it", async () => {
        const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
        const [empty, text] = [Buffer.alloc(0), Buffer.from("a file")];
        const folder = (file: string) => ({ path: file, before: empty, beforeHash: hash(empty) });
        say();
        const made = ["swapped/f", "gone/f"].map((file) => ({ path: file, after: text }));
        await apply(...made);
        const changes: FileChange[] = [
            { ...folder("swapped"), after: text, ...fileTypes("folder", "file") },
            { ...folder("gone"), type: "folder", after: null },
            ...made.map(({ path: file }) => changeOf({ path: file, after: null })),
        ];
        await applyRecorded(place, { changes }, {});
        expect(fs.readdirSync(root)).to.deep.equal(["swapped"]);
        await undo();
        expect(fs.readdirSync(root)).to.deep.equal([]);
        await undo();
        expect(fs.readFileSync(placeOf("swapped"), "utf8")).to.equal("a file");
        await undo();
        expect(fs.readdirSync(root)).to.deep.equal([]);
    });

    it("An undo removes the folders that an edit created, unless they contain or became something else", async () => {
        write("old/kept.txt", "kept");
        const empty = Buffer.alloc(0);
        say();
        const made = { type: "folder", before: null, beforeHash: null, after: empty } as const;
        await applyRecorded(place, { changes: [{ path: "made", ...made }] }, {});
        say();
        const after = Buffer.from("text");
        const paths = ["x/y/z.txt", "old/new/z.txt", "made/z.txt"];
        await apply(...paths.map((file) => ({ path: file, after })));
        await undo(1);
        expect(fs.readdirSync(root).sort()).to.deep.equal(["made", "old"]);
        expect(fs.readdirSync(placeOf("old"))).to.deep.equal(["kept.txt"]);
        await undo();
        for (const file of paths) expect(fs.readFileSync(placeOf(file), "utf8")).to.equal("text");
        await undo(2);
        expect(fs.readdirSync(root)).to.deep.equal(["old"]);
    });

    it("Undo restores bytes, modes, created and deleted files, and redo reapplies them", async () => {
        const scenario = fc.record({
            initial: fc.dictionary(fc.constantFrom(...PATHS), fc.uint8Array({ maxLength: 40 })),
            turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
            steps: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
        });
        await fc.assert(
            fc.asyncProperty(scenario, async ({ initial, turns, steps }) => {
                begin();
                for (const [file, bytes] of Object.entries(initial)) write(file, bytes, 0o664);
                // What the files were before each turn, and after the last.
                const states: Tree[] = [];
                for (const calls of turns) {
                    say();
                    states.push(tree());
                    for (const edits of calls) await apply(...edits);
                }
                states.push(tree());
                let now = states.length - 1;
                for (const step of steps) {
                    if (now === 0) break;
                    const target = Math.max(0, now - step);
                    await undo(now - target);
                    expect(tree()).to.deep.equal(states[target]);
                    await undo();
                    expect(tree()).to.deep.equal(states[now]);
                    await undo();
                    expect(tree()).to.deep.equal(states[target]);
                    now = target;
                }
            }),
            { numRuns: 20 }
        );
    });

    /** What a kill at the n-th record leaves: the records before it, and the files of that moment. */
    async function killedAt(count: number, ...edits: readonly Edit[]): Promise<Conversation> {
        const conversation = new Conversation();
        for (const entry of entries) conversation.apply({ type: "entry_added", entry });
        let records = 0;
        const record = (stored: JournalRecord) => {
            records += 1;
            if (records === count) throw new Error("killed");
            if (records < count) conversation.apply(stored);
        };
        const changeSet = { changes: edits.map(changeOf) };
        const recorded = { ...place, conversation: { ...place.conversation, record } };
        await applyRecorded(recorded, changeSet, {}).catch(() => {});
        return conversation;
    }

    async function settle(conversation: Conversation): Promise<readonly Entry[]> {
        const record = (stored: JournalRecord) => conversation.apply(stored);
        await resolveInterruptedChanges({ root, conversation, record });
        expect(conversation.begunChanges.size).to.equal(0);
        return conversation.entries;
    }

    it("Undo reverts what was written just before a kill and nothing that was not", async () => {
        write("a.txt", "one", 0o755);
        write("c d.sh", "run");
        say();
        const before = tree();
        const edits = [
            { path: "a.txt", after: Buffer.from("two") },
            { path: "c d.sh", after: null },
            { path: "ü.md", after: Buffer.from("new") },
        ];
        const early = await settle(await killedAt(1, ...edits));
        expect(early.some(({ kind }) => kind === "change")).to.equal(false);
        expect(tree()).to.deep.equal(before);

        const late = await settle(await killedAt(2, ...edits));
        expect(tree()).not.to.deep.equal(before);
        await (await prepareUndo(place, late)).apply();
        expect(tree()).to.deep.equal(before);
    });

    it("An unfinished change does not count if the files were not changed", async () => {
        write("a.txt", "one");
        say();
        const conversation = await killedAt(2, { path: "a.txt", after: Buffer.from("two") });
        write("a.txt", "somebody else's");
        expect((await settle(conversation)).map(({ kind }) => kind)).to.deep.equal(["user"]);
    });

    it("Undo changes nothing when a file was changed, deleted or created since", async () => {
        write("a.txt", "one");
        write("c d.sh", "run");
        say();
        await apply({ path: "a.txt", after: Buffer.from("two") });
        await apply({ path: "ü.md", after: Buffer.from("new") }, { path: "c d.sh", after: null });
        write("a.txt", "somebody else's");
        fs.rmSync(placeOf("ü.md"));
        write("c d.sh", "again");
        const before = tree();
        expect(await failure()).to.equal(
            "Nothing was undone: a.txt was changed since; ü.md was deleted since; c d.sh exists again."
        );
        expect(tree()).to.deep.equal(before);
        expect(entries.filter(({ kind }) => kind === "change").length).to.equal(2);
    });

    it("Undo writes nothing when a file changes between the question and the answer", async () => {
        write("a.txt", "one");
        say();
        await apply({ path: "a.txt", after: Buffer.from("two") });
        const planned = await prepareUndo(place, entries);
        write("a.txt", "three");
        const told = await planned.apply().catch((error: Error) => error.message);
        expect(told).to.equal("Nothing was undone: a.txt was changed just now.");
        expect(fs.readFileSync(placeOf("a.txt"), "utf8")).to.equal("three");
    });

    it("Undo is planned in time linear in the files", async () => {
        say();
        // Deleted again since, so that hardly anything but the plan takes time.
        const files = Array.from({ length: 10_000 }, (_, index) => ({
            path: `d/${index}.txt`,
            beforeHash: null,
            afterHash: "0".repeat(64),
        }));
        entries.push({ kind: "change", id: "change", at: 1, files });
        const before = process.cpuUsage();
        expect(await failure()).to.match(
            /: d\/0\.txt was deleted since; [^]*; 9,995 more files\.$/
        );
        expect(process.cpuUsage(before).user / 1_000).to.be.below(patient(6_000));
    });

    it("Undo keeps a mode that somebody set since", async () => {
        write("c d.sh", "one");
        say();
        await apply({ path: "c d.sh", after: Buffer.from("two") });
        fs.chmodSync(placeOf("c d.sh"), 0o755);
        await undo();
        expect(tree()["c d.sh"]).to.deep.equal({
            bytes: Buffer.from("one").toString("hex"),
            mode: 0o755,
        });
    });

    it("Undo names the lost content and writes nothing", async () => {
        write("a.txt", "one");
        say();
        await apply({ path: "a.txt", after: Buffer.from("two") });
        fs.rmSync(path.join(top, "data", "objects"), { recursive: true });
        expect(await failure()).to.contain("is no longer stored");
        expect(fs.readFileSync(placeOf("a.txt"), "utf8")).to.equal("two");
    });
});
