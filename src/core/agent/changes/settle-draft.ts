import { counted } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import { sha256 } from "../../../base/sha256.js";
import type { ChangeSet, DropConflict } from "../../../plugin/index.js";
import { applyRecorded, putBoth } from "./apply-recorded.js";
import {
    addEntry,
    type ApplyOutcome,
    type DraftPlace,
    type OpenConversation,
    type RebasedDraft,
    type Recording,
    type TurnProject,
} from "../turn.js";
import type { ContainedOutputs } from "../../approval/contained-runs.js";
import type { Grants } from "../../approval/grants.js";
import { draftStep, type OpenDraft } from "../../draft/open-draft.js";
import { reversedFile, type View } from "../../draft/view.js";

/** Where a draft is decided on: in a turn, between turns, or outside the chat. */
export interface DraftSettlingPlace extends Recording {
    readonly draft: DraftPlace;
    readonly project: Pick<TurnProject, "contents"> & { readonly grants: Pick<Grants, "changes"> };
    readonly conversation: Pick<OpenConversation, "record" | "sync"> & {
        readonly state: { readonly draft: OpenDraft };
    };
}

export interface DraftProposal extends RebasedDraft {
    readonly outputs: ContainedOutputs;
}

/**
 * The draft as it would be written today, links resolved, and what its commands built; `undefined`
 * if there is neither. Rejects like `rebase` and `resolve`.
 */
export async function draftProposal({
    draft,
    conversation: { state },
}: DraftSettlingPlace): Promise<DraftProposal | undefined> {
    const outputs = await draft.outputs();
    const { asked } = outputs;
    if (state.draft.view.size === 0 && asked.length === 0) return undefined;
    const rebased = await draft.rebase(state.draft.view);
    const { changes } = await draft.applier.resolve(rebased.changeSet);
    const changeSet = { changes, ...(asked.length > 0 && { outputs: asked }) };
    return { ...rebased, changeSet, outputs };
}

/**
 * Writes the draft, or what the user left of it, and what its commands built to the project, and
 * ends it. `notes` are sentences for the user.
 */
export async function applyDraft(
    { draft, project, conversation, runtime }: DraftSettlingPlace,
    { changeSet, outputs }: Pick<DraftProposal, "changeSet" | "outputs">,
    callId?: string
): Promise<ApplyOutcome & { readonly notes?: readonly string[] }> {
    const applies = conversation.state.draft.entries.map(({ id }) => id);
    const place = { project: { ...project, applier: draft.applier }, conversation, runtime };
    const origin = { applies, callId };
    const hasChanges = conversation.state.draft.view.size > 0;
    const outcome = hasChanges ? await applyRecorded(place, changeSet, origin) : NOTHING_WRITTEN;
    if (outcome.kind === "stale") return outcome;
    if (outputs.paths.length > 0) await project.grants.changes.add(outputs.paths);
    const notes = await outputs.keep();
    await outputs.release();
    return { ...outcome, notes };
}

/** Where commands only built something. */
const NOTHING_WRITTEN: ApplyOutcome = { kind: "applied", files: [] };

/** Undoes the whole draft; `/undo` redoes it, except what its commands built. */
export async function discardDraft({
    draft,
    conversation,
    runtime,
}: Pick<DraftSettlingPlace, "draft" | "conversation" | "runtime">): Promise<void> {
    const { view, entries } = conversation.state.draft;
    if (view.size > 0) {
        const undoes = entries.map(({ id }) => id);
        const files = [...view.values()].map(reversedFile);
        addEntry({ conversation, runtime }, { kind: "drafted", undoes, files });
        await conversation.sync();
    }
    await (await draft.outputs()).release();
}

/** Makes the user's version of a proposal the draft, without what they rejected. */
export async function keepVersion(
    place: DraftSettlingPlace,
    { files }: Pick<RebasedDraft, "files">,
    version: ChangeSet
): Promise<void> {
    const { conversation } = place;
    await putBoth(place.project, version.changes);
    const { recorded } = draftStep(conversation.state.draft.view, versionOf(files, version));
    addEntry(place, { kind: "drafted", ...recorded });
    await conversation.sync();
}

/** The files of a draft with the contents of a version of it, which may lack some. */
export function versionOf(files: RebasedDraft["files"], { changes }: ChangeSet): View {
    const drafted = new Map(files.map((file) => [file.path, file]));
    return new Map(
        changes.flatMap(({ path, after }) => {
            const file = drafted.get(path);
            return file ? [[path, { ...file, afterHash: after && sha256(after) }]] : [];
        })
    );
}

/** Rebases the draft onto the current project, so that the model can work on what conflicts. */
export async function rebaseDraft(
    place: DraftSettlingPlace,
    { changeSet, files }: Pick<RebasedDraft, "changeSet" | "files">
): Promise<void> {
    await putBoth(place.project, changeSet.changes);
    addEntry(place, { kind: "drafted", isRebase: true, files });
}

/** Lists what conflicts, with both sides of it. */
export function conflictsText(conflicts: readonly DropConflict[]): string {
    const files = new Set(conflicts.map(({ path }) => path)).size;
    const title = `The draft conflicts with changes made since in ${counted(files, "file")}. Nothing was written.`;
    return [title, ...conflicts.map(({ text }) => text)].join("\n");
}

/** What `rebaseDraft` leaves of conflicts. */
export const BOTH_SIDES =
    "Where lines conflict, the draft now has both sides, between `<<<<<<< draft` and `>>>>>>> project`. Other files are as drafted.";

/** For a draft that cannot be applied. */
export function draftConflicts(conflicts: readonly DropConflict[]): NorthError {
    return new NorthError("draft-conflicts", conflictsText(conflicts), [
        "Resume the conversation and type `/draft apply`: the model can resolve them.",
    ]);
}
