import { sameBytes } from "../../base/same-bytes.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { draftConflicts } from "../../core/agent/changes/settle-draft.js";
import { addEntry } from "../../core/agent/turn.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { draftStep } from "../../core/draft/open-draft.js";
import { changeSetOf, contentChange, type View } from "../../core/draft/view.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange, PlannedUndo } from "../../plugin/index.js";
import { prepareDrop } from "./drop-turn.js";
import { rebaseView } from "./rebase-draft.js";
import { plannedUndo, type UndoHost } from "./undo-changes.js";

export interface ShrinkPlace extends UndoHost {
    readonly conversation: UndoHost["conversation"] & {
        readonly state: Pick<Conversation, "draft" | "entries">;
    };
}

/** A change that may be larger than needed. */
interface ShrinkableChange {
    /** `the draft` or `turn 3` */
    readonly name: string;
    /** From the current project to the one without the change. */
    readonly without: ChangeSet;
    /** From there to the whole change. */
    readonly whole: ChangeSet;
    /** Proposes to keep only `left` of it, given as changes to the current project. */
    plan(left: ChangeSet): Promise<Pick<PlannedUndo, "changeSet" | "apply">>;
}

/** Rejects with `no-draft`, `draft-conflicts` or `object-missing`. */
export async function shrinkableDraft(place: ShrinkPlace): Promise<ShrinkableChange> {
    const { root, conversation } = place;
    const { contents } = place.project;
    const { view } = conversation.state.draft;
    if (view.size === 0) {
        throw new NorthError("no-draft", "The conversation has no open draft.", [
            "Add `--turn N` to shrink what a turn changed; `north turns` lists them.",
        ]);
    }
    const { changeSet: whole, files, conflicts } = await rebaseView(view, root, contents);
    if (conflicts.length > 0) throw draftConflicts(conflicts);
    const drafted = new Map(files.map((file) => [file.path, file]));
    return {
        name: "the draft",
        without: { changes: [] },
        whole,
        async plan({ changes }) {
            const then: View = new Map(
                changes.flatMap(({ path, after }) => {
                    const file = drafted.get(path);
                    return file ? [[path, { ...file, afterHash: after && sha256(after) }]] : [];
                })
            );
            await contents.putAll(changes.flatMap(({ after }) => after ?? []));
            const { shown, recorded } = draftStep(view, then);
            return {
                changeSet: await changeSetOf(shown, contents),
                async apply() {
                    addEntry(place, { kind: "drafted", undoes: [], ...recorded });
                    await conversation.sync();
                },
            };
        },
    };
}

/** Rejects like `prepareDrop`, and with `shrink-impossible` if later work changed the same lines. */
export async function shrinkableTurn(place: ShrinkPlace, turn: number): Promise<ShrinkableChange> {
    const drop = await prepareDrop(place, place.conversation.state.entries, turn);
    if (drop.kind === "conflicts") {
        const places = drop.conflicts.map(({ text }) => text).join("\n");
        const sentence = `Later work changed the same lines as turn ${turn}:\n${places}`;
        throw new NorthError("shrink-impossible", sentence, ["Shrink the later turn first."]);
    }
    if (drop.planned.isDrafted) {
        const sentence = `Turn ${turn} is only in the draft. Leave out the turn to shrink the draft.`;
        throw new NorthError("shrink-impossible", sentence);
    }
    const without = drop.planned.changeSet;
    return {
        name: `turn ${turn}`,
        without,
        whole: { changes: without.changes.map(reversed) },
        plan: (left) => plannedUndo(place, left, { undoes: [], isRedo: false }),
    };
}

function reversed(change: FileChange): FileChange {
    const { path, before, after } = change;
    return contentChange(
        path,
        { bytes: after, type: typeAfter(change) },
        { bytes: before, type: typeBefore(change) }
    );
}

export function onCurrentProject({ without }: ShrinkableChange, part: ChangeSet): ChangeSet {
    const kept = new Map(part.changes.map((change) => [change.path, change]));
    const current = without.changes.flatMap((change) => {
        const own = kept.get(change.path);
        if (!own) return change;
        kept.delete(change.path);
        const { mode: _, ...rest } = change;
        return sameBytes(own.after, change.before) ? [] : { ...rest, after: own.after };
    });
    return { changes: [...current, ...kept.values()] };
}
