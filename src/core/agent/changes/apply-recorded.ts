import type { ChangedFile, ChangeEntry, ChangeSet } from "../../../plugin/index.js";
import type { ChangeRange } from "../../approval/changes.js";
import type { Grants } from "../../approval/grants.js";
import {
    addEntry,
    type ApplyOutcome,
    newEntry,
    type OpenConversation,
    type Recording,
    type TurnProject,
} from "../turn.js";

/** Writes files and stores what undo needs. */
export interface RecordedApplier extends Recording {
    readonly project: Pick<TurnProject, "applier" | "contents"> & {
        readonly grants: Pick<Grants, "changes">;
    };
    readonly conversation: Pick<OpenConversation, "record" | "sync">;
}

/** Stores the contents before and after changes. Rejects like `put`. */
export function putBoth(
    { contents }: Pick<TurnProject, "contents">,
    changes: ChangeSet["changes"]
): Promise<void> {
    const kept = changes.flatMap(({ before, after }) => [before, after]);
    return contents.putAll(kept.filter((content) => content !== null));
}

/** Records what a command has written, so that it can be undone. Rejects like `put`. */
export async function recordWritten(
    place: Recording & { readonly project: Omit<RecordedApplier["project"], "applier"> },
    { changes }: ChangeSet,
    change: Pick<ChangeEntry, "callId" | "command" | "files">
): Promise<void> {
    await putBoth(place.project, changes);
    await place.project.grants.changes.add(change.files.map(({ path }) => path));
    addEntry(place, { kind: "change", ...change });
}

/**
 * Applies a change set so that it can be undone: stores both contents before writing, and records
 * the change before and after. After a kill in between, the files show whether it happened. From
 * here on no command counts as allowed that was allowed before. Rejects like `apply` and `put`.
 */
export async function applyRecorded(
    { project, conversation, runtime }: RecordedApplier,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command" | "undoes" | "applies">
): Promise<ApplyOutcome & { readonly range?: ChangeRange | undefined }> {
    const { applier, grants } = project;
    await putBoth(project, changeSet.changes);
    const base = newEntry(runtime, { kind: "change", ...origin, files: [] });
    const changeOf = (files: readonly ChangedFile[]): ChangeEntry => ({ ...base, files });
    let isBegun = false;
    let outcome: ApplyOutcome | undefined;
    let range: ChangeRange | undefined;
    try {
        outcome = await applier.apply(changeSet, async (files) => {
            range = await grants.changes.add(files.map(({ path }) => path));
            conversation.record({ type: "change_begun", change: changeOf(files) });
            isBegun = true;
            // Replaced files are synced, so the record that undoes them must be on disk first.
            await conversation.sync();
        });
    } finally {
        if (isBegun && outcome?.kind !== "applied") {
            conversation.record({ type: "change_dropped", id: base.id });
        }
    }
    if (outcome.kind === "applied") {
        conversation.record({ type: "entry_added", entry: changeOf(outcome.files) });
    }
    return range && outcome.kind === "applied" ? { ...outcome, range } : outcome;
}
