import { isEdit } from "../../core/draft/open-draft.js";
import { compareResults } from "../../core/history/compare-results.js";
import {
    madeCalls,
    type RecordedChange,
    type RecordedTurn,
} from "../../core/history/recorded-turns.js";
import type { JournalRecord, ToolResultEntry } from "../../plugin/records.js";

export interface Difference {
    readonly turn: number;
    /** `Editing a.ts` */
    readonly call: string;
    readonly kind: "result" | "files" | "missing";
    readonly recorded: unknown;
    readonly replayed: unknown;
}

/** Compares what the calls of a turn do with what they did when it was recorded. */
export class TurnComparison {
    compared = 0;
    difference: Difference | undefined;
    private readonly results: ToolResultEntry[];
    private readonly changes: RecordedChange[];

    constructor(
        private readonly turn: RecordedTurn,
        private readonly options: {
            withoutSecrets(result: ToolResultEntry): ToolResultEntry;
            /** The text with the recorded root instead of the replay's. */
            inRecordedRoot(text: string): string;
        }
    ) {
        const ids = madeCalls(turn);
        this.results = turn.results.filter(({ callId }) => ids.has(callId));
        this.changes = turn.changes.filter(({ callId }) => callId !== undefined && ids.has(callId));
    }

    add(record: JournalRecord, skipped: ReadonlySet<string>): void {
        if (record.type !== "entry_added" || this.difference) return;
        const { entry } = record;
        if (isEdit(entry)) this.addChange(entry);
        if (entry.kind === "tool_result") this.addResult(entry, skipped);
    }

    /** Reports a recorded call that did not happen again. */
    end(skipped: ReadonlySet<string>): void {
        const missing = this.results.find(({ callId }) => !skipped.has(callId));
        if (!missing || this.difference) return;
        const { intent: call, content: recorded } = missing;
        this.tell({ call, kind: "missing", recorded, replayed: null });
    }

    private addResult(entry: ToolResultEntry, skipped: ReadonlySet<string>): void {
        const index = this.results.findIndex(({ callId }) => callId === entry.callId);
        const [before] = index < 0 ? [] : this.results.splice(index, 1);
        if (!before || skipped.has(entry.callId)) return;
        const { withoutSecrets, inRecordedRoot } = this.options;
        this.compared += 1;
        // What is a secret now may not have been one when it was recorded.
        const clean = withoutSecrets(before);
        const { isEqual, ...both } = compareResults(clean, entry, inRecordedRoot);
        if (isEqual) return;
        this.tell({ call: before.intent, kind: "result", ...both });
    }

    private addChange(entry: RecordedChange): void {
        const index = this.changes.findIndex(({ callId }) => callId === entry.callId);
        const [before] = index < 0 ? [] : this.changes.splice(index, 1);
        if (!before) return;
        const [recorded, replayed] = [before, entry].map(({ files }) =>
            files.map(({ path, afterHash }) => ({ path, afterHash }))
        );
        if (JSON.stringify(recorded) === JSON.stringify(replayed)) return;
        const result = this.turn.results.find(({ callId }) => callId === before.callId);
        const call = result?.intent ?? "a change";
        this.tell({ call, kind: "files", recorded, replayed });
    }

    private tell(difference: Omit<Difference, "turn">): void {
        this.difference = { turn: this.turn.number, ...difference };
    }
}
