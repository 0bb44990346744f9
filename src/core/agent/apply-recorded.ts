import type { ApplyOutcome, ChangeApplier, ChangeSet } from "../../plugin/index.js";
import type { ContentStore } from "../conversation/content-store.js";
import type { ChangedFile, ChangeEntry, JournalRecord } from "../conversation/records.js";
import type { Edges } from "./turn.js";

/** What writes files, and what keeps the memory of it. */
export interface RecordedApplier {
    readonly applier: ChangeApplier;
    readonly contents: ContentStore;
    readonly edges: Pick<Edges, "now" | "id">;
    record(record: JournalRecord): void;
}

/**
 * Applies a change set so that it can be taken back: what is there now is kept before anything is
 * written, and the change is in the log as soon as it is made. Rejects like `apply` and `put`.
 */
export async function applyRecorded(
    { applier, contents, edges, record }: RecordedApplier,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "undoes">
): Promise<ApplyOutcome> {
    for (const { before } of changeSet.changes) if (before) await contents.put(before);
    const outcome = await applier.apply(changeSet);
    if (outcome.kind === "stale") return outcome;
    const files = outcome.files.map(({ hash, ...file }, index): ChangedFile => ({
        ...file,
        beforeHash: changeSet.changes[index]?.beforeHash ?? null,
        afterHash: hash,
    }));
    const entry = { kind: "change" as const, id: edges.id(), at: edges.now(), ...origin, files };
    record({ type: "entry_added", entry });
    return outcome;
}
