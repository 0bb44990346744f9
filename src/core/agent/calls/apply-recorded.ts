import type { ChangedFile, ChangeSet } from "../../../plugin/index.js";
import type { ContentStore } from "../../conversation/content-store.js";
import type { ChangeEntry, JournalRecord } from "../../../plugin/records.js";
import type { ApplyOutcome, ChangeApplier, Edges } from "../turn.js";

/** What writes files, and what keeps the memory of it. */
export interface RecordedApplier {
    readonly applier: ChangeApplier;
    readonly contents: ContentStore;
    readonly edges: Pick<Edges, "now" | "id">;
    record(record: JournalRecord): void;
}

/**
 * Applies a change set so that it can be taken back: both contents are kept before anything is
 * written, and the log says what is about to be written and, as soon as it is, that it was; so a
 * kill in between leaves a question that the files can answer. Rejects like `apply` and `put`.
 */
export async function applyRecorded(
    { applier, contents, edges, record }: RecordedApplier,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "undoes">
): Promise<ApplyOutcome> {
    for (const { before, after } of changeSet.changes) {
        if (before) await contents.put(before);
        if (after) await contents.put(after);
    }
    const base = { kind: "change" as const, id: edges.id(), at: edges.now(), ...origin };
    const changeOf = (files: readonly ChangedFile[]): ChangeEntry => ({ ...base, files });
    let isBegun = false;
    let outcome: ApplyOutcome | undefined;
    try {
        outcome = await applier.apply(changeSet, (files) => {
            record({ type: "change_begun", change: changeOf(files) });
            isBegun = true;
        });
    } finally {
        if (isBegun && outcome?.kind !== "applied") record({ type: "change_dropped", id: base.id });
    }
    if (outcome.kind === "applied") record({ type: "entry_added", entry: changeOf(outcome.files) });

    return outcome;
}
