import type { ChangeEntry, ChangeSet } from "../../../plugin/index.js";
import { addEntry, type ApplyOutcome, type Recording, type TurnProject } from "../turn.js";
import { putBoth } from "./apply-recorded.js";

interface DraftingPlace extends Recording {
    /** Its applier writes nothing. */
    readonly project: Pick<TurnProject, "applier" | "contents">;
}

/**
 * Adds a change set to the draft. Its contents are stored first, so a kill leaves the draft as of
 * its last record. Rejects like `resolve` and `put`.
 */
export async function draftChange(
    place: DraftingPlace,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command" | "undoes">
): Promise<ApplyOutcome> {
    await putBoth(place.project, changeSet.changes);
    const outcome = await place.project.applier.apply(changeSet, () => {});
    if (outcome.kind === "stale" || outcome.files.length === 0) return outcome;
    addEntry(place, { kind: "drafted", ...origin, files: outcome.files });
    return outcome;
}
