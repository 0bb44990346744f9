import { counted, formatInteger } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { canAsk } from "../../chat/questions/ask-in-terminal.js";
import { applyConfirmed, type Asking } from "./undo-conversation.js";
import { visibleLine } from "../../base/safe-text.js";
import { type ChangeKind, ChangeKinds, type TextChange } from "../../code/change-kind.js";
import { minimize } from "../../core/diff/delta-debugging.js";
import { type Hunk, splitChanges } from "../../core/diff/split-changes.js";
import type { ChangeSet, PlannedUndo } from "../../plugin/index.js";
import { withCheck } from "./check-in-view.js";
import { type ShrinkRequest, ShrinkTrials } from "./shrink-trials.js";
import {
    onCurrentProject,
    type ShrinkPlace,
    shrinkableDraft,
    shrinkableTurn,
} from "./shrinkable-change.js";

interface ShrunkHunk {
    readonly path: string;
    /** `@@ -1,3 +1,4 @@`, or `(the whole file)` */
    readonly header: string;
    /** `code` is what a check can judge. */
    readonly kind: ChangeKind;
}

export interface Shrunk {
    /** `the draft` or `turn 3` */
    readonly name: string;
    readonly command: string;
    readonly runs: number;
    /** `false`: time ran out, and less may do. */
    readonly isMinimal: boolean;
    readonly needed: readonly ShrunkHunk[];
    readonly unneeded: readonly ShrunkHunk[];
    /** Always kept: a check cannot judge it. */
    readonly apart: readonly ShrunkHunk[];
    /** Takes out what is not needed; absent if all of it is. */
    readonly planned?: Pick<PlannedUndo, "changeSet" | "apply">;
}

/**
 * Finds the hunks of a draft or a turn that a check does not need, by running it without them.
 * Rejects with `shrink-impossible` if the check cannot tell, and like `shrinkableDraft` or
 * `shrinkableTurn`.
 */
export async function prepareShrink(place: ShrinkPlace, request: ShrinkRequest): Promise<Shrunk> {
    const { turn, command } = request;
    const change = await (turn === undefined
        ? shrinkableDraft(place)
        : shrinkableTurn(place, turn));
    const { hunks, kinds, compose } = await kindsIn(change.whole, request.signal);
    const atoms = hunks.filter((hunk) => kinds.get(hunk) === "code");
    const apart = hunks.filter((hunk) => !atoms.includes(hunk));
    if (atoms.length === 0) {
        const only = [...new Set(kinds.values())].join(" and ");
        const sentence = `No check can judge ${change.name}: it changes only ${only}.`;
        throw new NorthError("shrink-impossible", sentence);
    }
    const left = (kept: readonly Hunk[]) =>
        onCurrentProject(change, compose(new Set([...kept, ...apart])));
    return withCheck(request, place.root, async (run) => {
        const trials = new ShrinkTrials(run, request, { hunks: atoms, left, name: change.name });
        await trials.mustTellApart();
        const { needed, isMinimal } = await minimize(atoms, (kept) => trials.holds(kept));
        const unneeded = atoms.filter((hunk) => !needed.includes(hunk));
        if (unneeded.length > 0) await trials.mustHoldAgain(needed);
        const shown = (some: readonly Hunk[]) =>
            some.map((hunk) => ({
                ...{ path: hunk.path, header: hunk.header },
                kind: kinds.get(hunk) ?? "code",
            }));
        return {
            ...{ name: change.name, command, runs: trials.runs, isMinimal },
            ...{ needed: shown(needed), unneeded: shown(unneeded), apart: shown(apart) },
            ...(unneeded.length > 0 && { planned: await change.plan(left(needed)) }),
        };
    });
}

/** The hunks of a change, and what each is about. */
async function kindsIn(whole: ChangeSet, signal: AbortSignal) {
    const { hunks, compose } = splitChanges(whole, []);
    const texts = await ChangeKinds.of(whole.changes.map(textOf), signal);
    const kinds = new Map<Hunk, ChangeKind>();
    for (const hunk of hunks) {
        const own = compose(new Set([hunk])).changes.find(({ path }) => path === hunk.path);
        kinds.set(hunk, own ? await texts.kindOf(textOf(own)) : "code");
    }
    return { hunks, kinds, compose };
}

function textOf({ path, before, after }: ChangeSet["changes"][number]): TextChange {
    const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString();
    return { path, before: text(before), after: text(after) };
}

export function shrunkText(shrunk: Shrunk): string {
    const { name, command, runs, isMinimal, needed, unneeded, apart } = shrunk;
    const all = needed.length + unneeded.length;
    const parts = [
        `\`${command}\` needs ${formatInteger(needed.length)} of ${counted(all, "hunk")} of ${name} (${counted(runs, "run")}).`,
        isMinimal ? "" : "Time ran out; fewer may be enough.",
        ...listed("Needed:", needed),
        ...listed("Not needed:", unneeded),
        ...listed("Kept, because a check cannot judge them:", apart),
    ];
    return parts.filter(Boolean).join("\n");
}

function listed(title: string, hunks: readonly ShrunkHunk[]): readonly string[] {
    if (hunks.length === 0) return [];
    return [
        title,
        ...hunks.map(
            ({ path, header, kind }) =>
                `  ${visibleLine(path)} ${header}${kind === "code" ? "" : ` ${kind}`}`
        ),
    ];
}

export function shrinkQuestion({ name, unneeded }: Pick<Shrunk, "name" | "unneeded">): string {
    return `Remove ${counted(unneeded.length, "hunk")} from ${name}`;
}

/** Asks whether to remove what is not needed, and removes it. Where nobody can be asked the answer is no. */
export async function offerShrunk(
    { name, unneeded, planned }: Shrunk,
    asking: Asking
): Promise<boolean> {
    if (!planned || (!asking.force && !canAsk())) return false;
    return applyConfirmed(planned, shrinkQuestion({ name, unneeded }), asking);
}
