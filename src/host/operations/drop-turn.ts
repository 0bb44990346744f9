import { counted } from "../../base/format.js";
import { fileTypes, typeAfter, typeBefore } from "../../plugin/change-set.js";
import { NorthError } from "../../base/north-error.js";
import { mergeChanges } from "../../core/view/view.js";
import { turnsOf } from "../../core/conversation/turns.js";
import type { DropConflict, FileChange, PlannedDrop } from "../../plugin/index.js";
import type { ChangedFile, Entry } from "../../plugin/records.js";
import { currentOf, plannedUndo, type UndoHost } from "./undo-changes.js";

/** Rejects with `no-such-turn`, `nothing-to-drop` or `object-missing`; only `apply` writes. */
export async function prepareDrop(
    host: UndoHost,
    entries: readonly Entry[],
    turn: number
): Promise<PlannedDrop> {
    const { changes, inEffect } = turnOf(entries, turn);
    if (inEffect.length === 0) {
        const why = changes.length > 0 ? "edits are already undone" : "turn changed no file";
        throw new NorthError("nothing-to-drop", `Nothing to drop: its ${why}.`);
    }
    const files = inEffect.flatMap((change) => change.files);
    const paths = new Set(files.map(({ path }) => path));
    const dropped = await Promise.all(
        [...paths].map((path) => {
            const row = joinConsecutive(files.filter((file) => file.path === path));
            return withoutTurn(host, row, files);
        })
    );
    const conflicts = dropped.flatMap((outcome) => ("conflict" in outcome ? outcome.conflict : []));
    if (conflicts.length > 0) return { kind: "conflicts", conflicts };
    const set = dropped.flatMap((outcome) => ("change" in outcome ? outcome.change : []));
    if (set.length === 0) {
        const sentence = `Nothing to drop: nothing of turn ${turn} is left in the files.`;
        throw new NorthError("nothing-to-drop", sentence);
    }
    const undoes = inEffect.map(({ id }) => id);
    return {
        kind: "ready",
        planned: await plannedUndo(host, { changes: set }, { undoes, isRedo: false }),
    };
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

type Dropped = { readonly change: FileChange } | { readonly conflict: DropConflict[] } | object;

async function withoutTurn(
    host: UndoHost,
    row: readonly ChangedFile[],
    files: readonly ChangedFile[]
): Promise<Dropped> {
    const [first, last] = [row[0], row.at(-1)];
    if (!first || !last) return {};
    const { path } = first;
    const current = await currentOf(host.root, last, files);
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
    const types = fileTypes(
        current ? typeAfter(last) : undefined,
        now ? typeBefore(first) : undefined
    );
    const hasSameBytes =
        current === null ? now === null : now && Buffer.compare(current.bytes, now) === 0;
    const isSame = hasSameBytes && types.typeBefore === undefined;
    if (isSame && mode === undefined) return {};
    const bits = mode === undefined || now === null ? {} : { mode };
    const before = current?.bytes ?? null;
    return {
        change: { path, ...types, before, beforeHash: current?.hash ?? null, after: now, ...bits },
    };
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
): Promise<{ readonly bytes: Uint8Array | null } | { readonly conflict: DropConflict[] }> {
    const { path, beforeHash, afterHash } = file;
    const isText = file.type === undefined && file.typeBefore === undefined;
    const whole = (text: string) => ({ conflict: [{ path, text: `${path} ${text}` }] });
    const [before, after] = [await contentAt(host, beforeHash), await contentAt(host, afterHash)];
    // What the turn created is gone already.
    if (now === null && before === null) return { bytes: null };
    if (now === null) return whole("was deleted since.");
    if (after === null) return whole("was deleted by the turn and exists again.");
    if (before === null) return whole("was created by the turn and changed since.");
    if (!isText || [now, before, after].some((bytes) => bytes.includes(0))) {
        return whole("is not text and was changed since.");
    }
    const { mergeLines } = await import("../../core/history/merge-lines.js");
    const { bytes, conflicts } = mergeLines({ base: after, mine: before, now });
    if (conflicts.length === 0) return { bytes };
    const { conflictText } = await import("./conflict-text.js");
    return {
        conflict: conflicts.map(({ line, ...sides }) => ({
            path,
            line,
            text: conflictText(path, line, {
                "the turn's": sides.base,
                now: sides.now,
                before: sides.mine,
            }),
        })),
    };
}
