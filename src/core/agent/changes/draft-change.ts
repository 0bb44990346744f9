import type { ChangeEntry, ChangeSet, DraftedEntry } from "../../../plugin/index.js";
import {
    type ApplyOutcome,
    newEntry,
    type OpenConversation,
    type Runtime,
    type TurnProject,
} from "../turn.js";

/** Where a change is drafted. */
interface DraftingPlace {
    /** Its applier writes nothing. */
    readonly project: Pick<TurnProject, "applier" | "contents">;
    readonly conversation: Pick<OpenConversation, "record">;
    readonly runtime: Pick<Runtime, "now" | "id">;
}

/**
 * Adds a change set to the draft. Its contents are stored first, so a kill leaves the draft as of
 * its last record. Rejects like `resolve` and `put`.
 */
export async function draftChange(
    { project: { applier, contents }, conversation, runtime }: DraftingPlace,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command" | "undoes">
): Promise<ApplyOutcome> {
    const kept = changeSet.changes.flatMap(({ before, after }) => [before, after]);
    await contents.putAll(kept.filter((content) => content !== null));
    const outcome = await applier.apply(changeSet, () => {});
    if (outcome.kind === "stale" || outcome.files.length === 0) return outcome;
    const { files } = outcome;
    const entry: DraftedEntry = newEntry(runtime, { kind: "drafted", ...origin, files });
    conversation.record({ type: "entry_added", entry });
    return outcome;
}
