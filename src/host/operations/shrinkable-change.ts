import { sameBytes } from "../../base/same-bytes.js";
import { NorthError } from "../../base/north-error.js";
import { draftConflicts, versionOf } from "../../core/agent/changes/settle-draft.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { contentChange } from "../../core/draft/view.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange, PlannedUndo } from "../../plugin/index.js";
import { prepareDrop } from "./drop-turn.js";
import { rebaseView } from "./rebase-draft.js";
import { plannedStep, plannedUndo, type UndoHost } from "./undo-changes.js";

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
    const { contents } = place.project;
    const { view } = place.conversation.state.draft;
    if (view.size === 0) {
        throw new NorthError("no-draft", "The conversation has no open draft.", [
            "Add `--turn N` to shrink what a turn changed; `north turns` lists them.",
        ]);
    }
    const { changeSet: whole, files, conflicts } = await rebaseView(view, place.root, contents);
    if (conflicts.length > 0) throw draftConflicts(conflicts);
    return {
        name: "the draft",
        without: { changes: [] },
        whole,
        async plan(left) {
            await contents.putAll(left.changes.flatMap(({ after }) => after ?? []));
            return plannedStep(place, view, versionOf(files, left), []);
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
