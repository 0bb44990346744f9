import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NO_CHANGES } from "../../src/core/approval/changes.js";
import { applyRecorded } from "../../src/core/agent/changes/apply-recorded.js";
import {
    type AppliedChange,
    AppliedChanges,
    mergeByTime,
} from "../../src/core/history/applied-changes.js";
import { blame, type LineOrigin } from "../../src/core/history/blame.js";
import type { UndoHost } from "../../src/host/operations/undo-changes.js";
import type { FileChange } from "../../src/plugin/index.js";
import type { Entry, JournalRecord, ReviewEntry } from "../../src/plugin/records.js";
import { createConversationStore } from "../../src/storage/conversations/conversations.js";
import { createObjectStore } from "../../src/storage/files/object-store.js";
import { createChangeApplier } from "../../src/workspace/apply/apply-change-set.js";

/** File contents after an edit; `null` deletes. */
export type Files = Readonly<Record<string, string | null>>;

/** A conversation with in-memory records about a repository of real files. */
export class EditedRepository {
    readonly top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-history-")));
    readonly root = path.join(this.top, "root");
    readonly data = path.join(this.top, "data");
    readonly contents = createObjectStore(this.data);
    readonly records: JournalRecord[] = [];
    private clock = 1;

    constructor(readonly id = "aaaaaa") {
        fs.mkdirSync(this.root);
        const model = { provider: "scripted", model: "scripted-1" };
        const rootHash = "0".repeat(16);
        this.record({
            type: "conversation_started",
            version: 1,
            id,
            root: this.root,
            rootHash,
            ...model,
            at: 1,
        });
    }

    remove(): void {
        fs.rmSync(this.top, { recursive: true, force: true });
    }

    readonly record = (record: JournalRecord): void => void this.records.push(record);

    get entries(): readonly Entry[] {
        return this.records.flatMap((record) =>
            record.type === "entry_added" ? record.entry : []
        );
    }

    get changes(): readonly AppliedChange[] {
        const changes = new AppliedChanges(this.records);
        return mergeByTime([changes.withDrafts]);
    }

    get place(): UndoHost {
        const { root, contents, record } = this;
        const runtime = { now: () => (this.clock += 1), id: () => `id-${(this.clock += 1)}` };
        const applier = createChangeApplier({ root });
        const project = { contents, applier, grants: { changes: NO_CHANGES } };
        return { root, project, runtime, conversation: { record, sync: async () => {} } };
    }

    read(file: string): string | null {
        const place = path.join(this.root, file);
        return fs.existsSync(place) ? fs.readFileSync(place, "utf8") : null;
    }

    /** Writes the conversation to the data folder. */
    async store(): Promise<void> {
        const { journal } = await createConversationStore(this.data).start({
            id: this.id,
            root: this.root,
            provider: "scripted",
            model: "scripted-1",
            at: 1,
        });
        for (const record of this.records.slice(1)) journal.append(record);
        await journal.close();
    }

    /** Edits a file as somebody else would. */
    write(file: string, text: string | null): void {
        const place = path.join(this.root, file);
        if (text === null) return fs.rmSync(place, { force: true });
        fs.mkdirSync(path.dirname(place), { recursive: true });
        fs.writeFileSync(place, text);
    }

    say(text: string): void {
        const base = { id: `user-${(this.clock += 1)}`, at: this.clock };
        const entry = { kind: "user", ...base, mode: "agent", text, content: [] } as const;
        this.record({ type: "entry_added", entry });
    }

    /** Edits files in a call of the model that the user approved. Returns the id of the change. */
    async edit(
        files: Files,
        origin: { readonly command?: string; readonly applies?: readonly string[] } = {},
        review: Partial<Pick<ReviewEntry, "decidedBy" | "shown">> = {}
    ): Promise<string> {
        const callId = `call-${(this.clock += 1)}`;
        const asked = { subject: "write", status: "approved", decidedBy: "user" } as const;
        const decision = { ...asked, ...review };
        const base = { id: `review-${callId}`, at: this.clock, callId, what: "" };
        this.record({ type: "entry_added", entry: { kind: "review", ...base, ...decision } });
        const changes = Object.entries(files).map(([file, text]) => this.changeOf(file, text));
        await applyRecorded(this.place, { changes }, { callId, ...origin });
        return this.entries.findLast(({ kind }) => kind === "change")?.id ?? "";
    }

    /** Drafts a change of one file, from one text, or none, to another. Returns its id. */
    async draft(file: string, before: string | null, after: string): Promise<string> {
        const id = `drafted-${(this.clock += 1)}`;
        await this.contents.putAll([before ?? "", after].map((text) => Buffer.from(text)));
        const beforeHash = before === null ? null : hashOf(before);
        const afterHash = hashOf(after);
        const files = [{ path: file, beforeHash, afterHash }];
        const entry = { kind: "drafted", id, at: this.clock, callId: `call-${id}`, files } as const;
        this.record({ type: "entry_added", entry });
        return id;
    }

    /** Like `edit`, but North is killed after announcing the change, before or after writing it. */
    async killedEdit(files: Files, when: "before" | "after"): Promise<string> {
        const known = this.records.length;
        const before = Object.keys(files).map((file) => [file, this.read(file)] as const);
        await this.edit(files);
        const begun = this.records.findIndex(
            (record, index) => index >= known && record.type === "change_begun"
        );
        this.records.splice(begun + 1);
        if (when === "before") for (const [file, text] of before) this.write(file, text);
        const record = this.records[begun];
        return record?.type === "change_begun" ? record.change.id : "";
    }

    /** The lines of a file with their origins. */
    async blame(file: string): Promise<readonly (readonly [string, LineOrigin])[]> {
        const text = this.read(file) ?? "";
        const bytes = Buffer.from(text);
        const hash = createHash("sha256").update(bytes).digest("hex");
        const { changes, contents } = this;
        const { origins } = await blame({ path: file, bytes, hash, changes, contents });
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        return lines.map((line, index) => [line, origins[index]]);
    }

    private changeOf(file: string, text: string | null): FileChange {
        const before = this.read(file);
        const bytes = before === null ? null : Buffer.from(before);
        const beforeHash = bytes && createHash("sha256").update(bytes).digest("hex");
        return {
            path: file,
            before: bytes,
            beforeHash,
            after: text === null ? null : Buffer.from(text),
        };
    }
}

function hashOf(text: string): string {
    return createHash("sha256").update(text).digest("hex");
}
