import type { ChangedFile, ChangeSet } from "../../../plugin/index.js";
import type { ContentStore } from "../../conversation/content-store.js";
import type { ChangeEntry, JournalRecord } from "../../../plugin/records.js";
import type { ApplyOutcome, ChangeApplier, Edges } from "../turn.js";

/** Writes files and stores what undo needs. */
export interface RecordedApplier {
    readonly applier: ChangeApplier;
    readonly contents: ContentStore;
    readonly edges: Pick<Edges, "now" | "id">;
    record(record: JournalRecord): void;
    /** Makes what was recorded survive a crash of the machine. */
    sync(): Promise<void>;
}

/**
 * Applies a change set so that it can be undone: both contents are stored before anything is
 * written, and the log records the change before and after the write. After a kill in between, the
 * files decide which happened. Rejects like `apply` and `put`.
 */
export async function applyRecorded(
    { applier, contents, edges, record, sync }: RecordedApplier,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command" | "undoes">
): Promise<ApplyOutcome> {
    const kept = changeSet.changes.flatMap(({ before, after }) => [before, after]);
    await contents.putAll(kept.filter((content) => content !== null));
    const base = { kind: "change" as const, id: edges.id(), at: edges.now(), ...origin };
    const changeOf = (files: readonly ChangedFile[]): ChangeEntry => ({ ...base, files });
    let isBegun = false;
    let outcome: ApplyOutcome | undefined;
    try {
        outcome = await applier.apply(changeSet, async (files) => {
            record({ type: "change_begun", change: changeOf(files) });
            isBegun = true;
            // Files are synced when they are replaced; what undoes that must not come after them.
            await sync();
        });
    } finally {
        if (isBegun && outcome?.kind !== "applied") record({ type: "change_dropped", id: base.id });
    }
    if (outcome.kind === "applied") record({ type: "entry_added", entry: changeOf(outcome.files) });

    return outcome;
}
