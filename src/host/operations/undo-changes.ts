import type { ChangeSet, FileChange, FileContent, PlannedUndo } from "../../plugin/index.js";
import { counted, firstRows } from "../../base/format.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import { type FileVersions, isCovered } from "../../core/history/states.js";
import { NorthError } from "../../base/north-error.js";
import { applyRecorded, type RecordedApplier } from "../../core/agent/changes/apply-recorded.js";
import type { ChangedFile, Entry } from "../../plugin/records.js";
import {
    changesToUndo,
    KEEPS_OTHERS,
    leftBeside,
    planRewind,
    planUndo,
    type UndoPlan,
} from "../../core/conversation/undo.js";
import { addEntry } from "../../core/agent/turn.js";
import { draftAsProject, draftStep, isEdit, openDraft } from "../../core/draft/open-draft.js";
import { changeSetOf, contentChange, versionAfter, type View } from "../../core/draft/view.js";
import { removeEmptyFolders } from "../../workspace/apply/folder.js";
import { currentVersion } from "../../workspace/current-file.js";

export interface UndoHost extends RecordedApplier {
    readonly root: string;
}

/** Rejects with `nothing-to-undo`, `changed-since` or `object-missing`; only `apply` writes. */
export async function prepareUndo(
    host: UndoHost,
    entries: readonly Entry[],
    turns?: number
): Promise<PlannedUndo> {
    if (entries.findLast(isEdit)?.kind === "drafted") return draftUndo(host, entries, turns);
    return projectUndo(host, entries, planUndo(entries, turns));
}

/**
 * Undoes the project's changes of all turns after one; `undefined` if none is in effect. The draft
 * needs no undo: a copy of the conversation ends before it. Rejects like `prepareUndo`, or with
 * `nothing-to-rewind`.
 */
export async function prepareRewind(
    host: UndoHost,
    entries: readonly Entry[],
    turn: number
): Promise<PlannedUndo | undefined> {
    const plan = planRewind(entries, turn);
    return plan && projectUndo(host, entries, plan);
}

async function projectUndo(
    host: UndoHost,
    entries: readonly Entry[],
    { undoes, isRedo, files }: UndoPlan
): Promise<PlannedUndo> {
    const versions = versionsAfter(files);
    const outcomes = await Promise.all(files.map((file) => reversed(host, file, versions)));
    const reasons = outcomes.flatMap((outcome) => ("reason" in outcome ? outcome.reason : []));
    if (reasons.length > 0) throw changedSince(reasons);
    const changes = outcomes.flatMap((outcome) => ("change" in outcome ? outcome.change : []));
    const changeSet = { changes };
    const planned = await plannedUndo(host, changeSet, { undoes, isRedo });
    return {
        ...planned,
        async apply() {
            await planned.apply();
            const deleted = changes.filter(({ after }) => after === null);
            await removeEmptyFolders(
                host.root,
                deleted.map(({ path }) => path),
                foldersMade(entries)
            );
        },
        notUndone: leftBeside(undoes, entries),
    };
}

/** Folders that are changes of their own, which their own undo removes. */
function foldersMade(entries: readonly Entry[]): ReadonlySet<string> {
    const files = entries.flatMap((entry) => (entry.kind === "change" ? entry.files : []));
    return new Set(files.filter((file) => typeAfter(file) === "folder").map(({ path }) => path));
}

/** Undoes the draft's last changes; the project stays as it is. */
async function draftUndo(
    host: UndoHost,
    entries: readonly Entry[],
    turns?: number
): Promise<PlannedUndo> {
    const { undoes, isRedo } = changesToUndo(draftAsProject(entries), turns);
    const first = entries.findIndex(({ id }) => undoes.includes(id));
    const before = openDraft(entries.slice(0, first)).view;
    const planned = await plannedStep(host, openDraft(entries).view, before, undoes);
    return { ...planned, isRedo, isDrafted: true };
}

/** A change of the draft alone, which writes nothing to the project. */
export async function plannedStep(
    host: UndoHost,
    now: View,
    then: View,
    undoes: readonly string[]
): Promise<Pick<PlannedUndo, "changeSet" | "apply">> {
    const { shown, recorded } = draftStep(now, then);
    return {
        changeSet: await changeSetOf(shown, host.project.contents),
        async apply() {
            addEntry(host, { kind: "drafted", undoes, ...recorded });
            await host.conversation.sync();
        },
    };
}

/** An undo that writes these changes once it is applied. */
export async function plannedUndo(
    host: UndoHost,
    wanted: ChangeSet,
    { undoes, isRedo }: Pick<UndoPlan, "undoes" | "isRedo">
): Promise<PlannedUndo> {
    const changeSet = await host.project.applier.resolve(wanted);
    return {
        changeSet,
        isRedo,
        async apply() {
            const outcome = await applyRecorded(host, changeSet, { undoes });
            if (outcome.kind === "applied") return;
            throw changedSince(outcome.paths.map((path) => `${path} was changed just now`));
        },
    };
}

export function versionsAfter(changes: readonly ChangedFile[]): FileVersions {
    return new Map(changes.map((each) => [each.path, versionAfter(each)]));
}

/** What is at the path of a change; `null` if it was in a folder that another change replaced. */
export async function currentOf(
    root: string,
    { path, type }: Pick<ChangedFile, "path" | "type">,
    versions: FileVersions
): Promise<Pick<FileContent, "hash" | "bytes"> | null> {
    return isCovered(path, versions) ? null : currentVersion(root, path, type);
}

/** The inverse of a change, or why it would destroy somebody else's work. */
async function reversed(
    { root, project: { contents } }: UndoHost,
    file: ChangedFile,
    versions: FileVersions
): Promise<{ readonly change: FileChange } | { readonly reason: string }> {
    const { path, beforeHash, afterHash, modeBefore, modeAfter } = file;
    const current = await currentOf(root, file, versions);
    if (current === null && afterHash !== null) return { reason: `${path} was deleted since` };
    if (current && afterHash === null) return { reason: `${path} exists again` };
    if (current && current.hash !== afterHash) return { reason: `${path} was changed since` };
    const after = beforeHash === null ? null : await contents.get(beforeHash);
    const before = { bytes: current?.bytes ?? null, type: typeAfter(file) };
    const mode = modeBefore === modeAfter ? undefined : modeBefore;
    return { change: contentChange(path, before, { bytes: after, type: typeBefore(file) }, mode) };
}

function changedSince(reasons: readonly string[]): NorthError {
    const shown = firstRows(reasons, 5, (more) => counted(more, "more file"));
    return new NorthError("changed-since", `Nothing was undone: ${shown.join("; ")}.`, [
        KEEPS_OTHERS,
    ]);
}
