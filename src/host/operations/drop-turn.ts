import { counted } from "../../base/format.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import { NorthError } from "../../base/north-error.js";
import { draftChange } from "../../core/agent/changes/draft-change.js";
import { turnsOf } from "../../core/conversation/turns.js";
import { type DraftFate, draftFates } from "../../core/conversation/draft-fate.js";
import { openDraft } from "../../core/draft/open-draft.js";
import {
    contentChange,
    hasEffect,
    mergeChanges,
    PROJECT_AS_IT_IS,
    type View,
} from "../../core/draft/view.js";
import type {
    ChangeSet,
    DropConflict,
    FileChange,
    FileContent,
    PlannedDrop,
    PlannedUndo,
} from "../../plugin/index.js";
import type { ChangedFile, Entry } from "../../plugin/records.js";
import { draftApplier } from "./draft-applier.js";
import { mergeText } from "./merge-text.js";
import { currentOf, plannedUndo, type UndoHost, versionsAfter } from "./undo-changes.js";

/**
 * Drops from the draft what a turn drafted, else from the project what it changed there. Rejects
 * with `no-such-turn`, `nothing-to-drop` or `object-missing`; only `apply` writes.
 */
export async function prepareDrop(
    host: UndoHost,
    entries: readonly Entry[],
    turn: number
): Promise<PlannedDrop> {
    const { edits, isDrafted } = editsOf(entries, turn);
    const files = edits.flatMap((change) => change.files);
    const paths = new Set(files.map(({ path }) => path));
    const view = isDrafted ? openDraft(entries).view : PROJECT_AS_IT_IS;
    const place = { ...host, current: currentIn(host, view, files) };
    const dropped = await Promise.all(
        [...paths].map((path) => {
            const row = joinConsecutive(files.filter((file) => file.path === path));
            return withoutTurn(place, row);
        })
    );
    const conflicts = dropped.flatMap((outcome) => ("conflict" in outcome ? outcome.conflict : []));
    if (conflicts.length > 0) return { kind: "conflicts", conflicts };
    const changes = dropped.flatMap((outcome) => ("change" in outcome ? outcome.change : []));
    if (changes.length === 0) {
        throw new NorthError("nothing-to-drop", `Nothing of turn ${turn} is left in the files.`);
    }
    const undoes = edits.map(({ id }) => id);
    const planned = isDrafted
        ? await undoInDraft(host, view, { changes }, undoes)
        : await plannedUndo(host, { changes }, { undoes, isRedo: false });
    return { kind: "ready", planned };
}

/** What a turn did that is in effect: in the open draft, else in the project. */
function editsOf(entries: readonly Entry[], number: number) {
    const { changes, inEffect, drafted } = turnOf(entries, number);
    const fateOf = draftFates(entries);
    const of = (fate: DraftFate) => drafted.filter((entry) => fateOf(entry) === fate);
    const [open, applied] = [of("drafted"), of("applied")];
    if (open.length > 0) return { edits: open, isDrafted: true };
    const edits = drafted.length > 0 ? applied : changes.filter((each) => inEffect.includes(each));
    if (edits.length > 0) return { edits, isDrafted: false };
    const sentence =
        changes.length + drafted.length > 0
            ? `The edits of turn ${number} are already undone.`
            : `Turn ${number} changed no file.`;
    throw new NorthError("nothing-to-drop", sentence);
}

/** A drop that only the draft gets. */
async function undoInDraft(
    host: UndoHost,
    view: View,
    changeSet: ChangeSet,
    undoes: readonly string[]
): Promise<PlannedUndo> {
    const { root, project, conversation } = host;
    const { contents } = project;
    const workspace = { root };
    const applier = draftApplier({ ...project, workspace }, () => view);
    const resolved = await applier.resolve(changeSet);
    return {
        changeSet: resolved,
        isRedo: false,
        isDrafted: true,
        async apply() {
            await draftChange({ ...host, project: { applier, contents } }, resolved, { undoes });
            await conversation.sync();
        },
    };
}

type Current = Pick<FileContent, "hash" | "bytes"> | null;

/** Reads a path in the project or in a view of it. */
function currentIn(
    { root, project: { contents } }: UndoHost,
    view: View,
    files: readonly ChangedFile[]
): (file: ChangedFile) => Promise<Current> {
    const versions = versionsAfter([...view.values(), ...files]);
    return async (file) => {
        const known = view.get(file.path);
        if (!known) return currentOf(root, file, versions);
        const { afterHash: hash } = known;
        if (hash === null) return null;
        const isFolder = typeAfter(known) === "folder";
        return { hash, bytes: isFolder ? new Uint8Array() : await contents.get(hash) };
    };
}

interface DropPlace extends UndoHost {
    current(file: ChangedFile): Promise<Current>;
}

function turnOf(entries: readonly Entry[], number: number) {
    const turns = turnsOf(entries);
    const turn = turns[number];
    if (turn && number > 0) return turn;
    const sentence = `There is no turn ${number}: the conversation has ${counted(turns.length - 1, "turn")}.`;
    throw new NorthError("no-such-turn", sentence, [
        "`/turns` and `north turns` list those that changed files.",
    ]);
}

/** Several remain if other edits came in between. */
function joinConsecutive(files: readonly ChangedFile[]): readonly ChangedFile[] {
    const consecutive: ChangedFile[] = [];
    for (const file of files) {
        const last = consecutive.at(-1);
        if (last && last.afterHash === file.beforeHash) {
            consecutive[consecutive.length - 1] = mergeChanges(last, file);
        } else {
            consecutive.push(file);
        }
    }
    return consecutive;
}

type Dropped =
    | { readonly change: FileChange }
    | { readonly conflict: readonly DropConflict[] }
    | object;

async function withoutTurn(host: DropPlace, row: readonly ChangedFile[]): Promise<Dropped> {
    const [first, last] = [row[0], row.at(-1)];
    if (!first || !last) return {};
    const { path } = first;
    const current = await host.current(last);
    let now: Uint8Array | null = current?.bytes ?? null;
    let hash = current?.hash ?? null;
    let mode: number | undefined;
    for (const file of row.toReversed()) {
        if (file.modeBefore !== file.modeAfter) mode = file.modeBefore;
        if (hash === file.afterHash) {
            [now, hash] = [await contentAt(host, file.beforeHash), file.beforeHash];
            continue;
        }
        const merged = await merge(host, file, now);
        if ("conflict" in merged) return merged;
        [now, hash] = [merged.bytes, merged.bytes && ""];
    }
    const before = { bytes: current?.bytes ?? null, type: typeAfter(last) };
    const change = contentChange(path, before, { bytes: now, type: typeBefore(first) }, mode);
    return hasEffect(change) ? { change } : {};
}

function contentAt(
    { project: { contents } }: UndoHost,
    hash: string | null
): Promise<Uint8Array> | null {
    return hash === null ? null : contents.get(hash);
}

async function merge(
    host: UndoHost,
    file: ChangedFile,
    now: Uint8Array | null
): Promise<{ readonly bytes: Uint8Array | null } | { readonly conflict: readonly DropConflict[] }> {
    const { path, beforeHash, afterHash } = file;
    const whole = (text: string) => ({ conflict: [{ path, text: `${path} ${text}` }] });
    const [before, after] = [await contentAt(host, beforeHash), await contentAt(host, afterHash)];
    // What the turn created is gone already.
    if (now === null && before === null) return { bytes: null };
    if (now === null) return whole("was deleted since.");
    if (after === null) return whole("was deleted by the turn and exists again.");
    if (before === null) return whole("was created by the turn and changed since.");
    const versions = { base: after, mine: before, now };
    const shown = { "the turn's": "base", now: "now", before: "mine" } as const;
    const { bytes, conflicts } = await mergeText(file, versions, { shown });
    return bytes && conflicts.length === 0 ? { bytes } : { conflict: conflicts };
}
