import { isFields, jsonIn } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import { counted, firstOf } from "../../base/format.js";
import { foldersAbove } from "../../base/paths.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangedFile, ChangeEntry, Entry } from "../../plugin/index.js";
import { isEdit } from "../draft/open-draft.js";
import { mergeChanges } from "../draft/view.js";
import { turnsOf } from "./turns.js";

export interface UndoPlan {
    readonly undoes: readonly string[];
    /** The undone changes were undos themselves. */
    readonly isRedo: boolean;
    readonly files: readonly ChangedFile[];
}

/** What to do where somebody else changed a file too. */
export const KEEPS_OTHERS =
    "`/drop TURN`, or `north drop ID TURN`, undoes a turn and keeps other changes to its files.";

/** Like `changesToUndo`; throws `changed-since` if something else changed a file in between. */
export function planUndo(entries: readonly Entry[], turns?: number): UndoPlan {
    return filesOf(changesToUndo(entries, turns));
}

/**
 * Undoes what is in effect of all later turns; `undefined` if nothing is. Throws like `planUndo`, or
 * `nothing-to-rewind` for the last turn.
 */
export function planRewind(entries: readonly Entry[], turn: number): UndoPlan | undefined {
    const turns = turnsOf(entries);
    if (turn === turns.at(-1)?.number) {
        throw new NorthError("nothing-to-rewind", `Turn ${turn} is the last one.`, [
            ...(turn > 1 ? [`\`/rewind ${turn - 1}\` goes back to before it.`] : []),
            "`/undo` undoes its edits.",
        ]);
    }
    const later = turns.filter(({ number }) => number > turn);
    const changes = later.flatMap(({ inEffect }) => inEffect);
    const undoes = changes.map(({ id }) => id);
    return changes.length > 0 ? filesOf({ undoes, isRedo: false, changes }) : undefined;
}

function filesOf({ changes, ...plan }: ReturnType<typeof changesToUndo>): UndoPlan {
    return { ...plan, files: withoutOwnFolders(mergedByFile(changes), changes) };
}

/**
 * Without a number: the last change, to be redone if it was an undo. With a number: those of that
 * many of the last turns in effect. Throws `nothing-to-undo`, or `no-such-turn` if there are fewer.
 */
export function changesToUndo(entries: readonly Entry[], turns?: number) {
    const changes = turns === undefined ? lastChanges(entries) : effectiveTurns(entries, turns);
    if (changes.length === 0) {
        const last = listsIn(entries, "git").at(-1);
        throw new NorthError("nothing-to-undo", "Nothing to undo.", [
            last === undefined
                ? "Undo covers this conversation's reviewed edits, with those of contained commands, but not what a command did for real."
                : `Commits are not undone: ${last}. \`git reflog\` shows the earlier state.`,
        ]);
    }
    return {
        undoes: changes.map(({ id }) => id),
        isRedo: changes.every(({ undoes }) => undoes !== undefined),
        changes,
    };
}

/** The last undo or drop, or all changes of the last turn that has any in effect. */
function lastChanges(entries: readonly Entry[]): readonly ChangeEntry[] {
    const last = entries.findLast((entry) => entry.kind === "change");
    if (last?.kind !== "change") return [];
    return last.undoes ? [last] : effectiveTurns(entries, 1);
}

/** Max files named of an undo, a redo or an applied draft. */
const MAX_NAMED = 10;

/** Says what an undo, a redo or an applied draft did: `Undid the edits to a.ts in the draft`. */
export function settledTexts(entries: readonly Entry[]): ReadonlyMap<string, string> {
    const undos = new Set<string>();
    const texts = new Map<string, string>();
    for (const entry of entries.filter(isEdit)) {
        const { id, kind, files, undoes } = entry;
        const paths = firstOf(
            files.map(({ path }) => path),
            MAX_NAMED
        );
        if (kind === "change" && entry.applies) texts.set(id, `Applied the draft: ${paths}`);
        if (!undoes) continue;
        const isRedo = undoes.some((undone) => undos.has(undone));
        if (!isRedo) undos.add(id);
        const place = kind === "drafted" ? " in the draft" : "";
        texts.set(id, `${isRedo ? "Redid" : "Undid"} the edits to ${paths}${place}`);
    }
    return texts;
}

function effectiveTurns(entries: readonly Entry[], turns: number): readonly ChangeEntry[] {
    const changed = turnsOf(entries).filter(({ inEffect }) => inEffect.length > 0);
    if (changed.length > 0 && turns > changed.length) {
        const only = counted(changed.length, "turn");
        throw new NorthError("no-such-turn", `Only ${only} can be undone, not ${turns}.`, [
            `\`/undo ${changed.length}\`, or \`north undo ID --turns ${changed.length}\`, undoes all of them.`,
        ]);
    }
    return changed.slice(-turns).flatMap(({ inEffect }) => inEffect);
}

/** What an undo of these changes leaves of their turns' commands, in sentences. */
export function leftBeside(
    undone: readonly string[],
    entries: readonly Entry[]
): readonly string[] {
    const turns = turnsOf(entries).map((turn) => turn.entries);
    const results = turns.filter((own) => own.some(({ id }) => undone.includes(id))).flat();
    return [
        ...sentence("Left as it is, ignored", new Set(listsIn(results, "outputs"))),
        ...sentence("Not undone in git", new Set(listsIn(results, "git"))),
    ];
}

function sentence(start: string, names: ReadonlySet<string>): readonly string[] {
    return names.size > 0 ? [`${start}: ${[...names].join(", ")}.`] : [];
}

/** What results of commands name: outputs (`dist/ (214 files)`), or what they did in git. */
export function listsIn(entries: readonly Entry[], field: "outputs" | "git"): readonly string[] {
    return entries.flatMap((entry) => {
        if (entry.kind !== "tool_result" || !entry.content.includes(`"${field}":[`)) return [];
        const result = jsonIn(entry.content);
        const list = isFields(result) && isFields(result.data) ? result.data[field] : [];
        return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
    });
}

/** A folder that only files of these changes made was not there before them. */
function withoutOwnFolders(
    merged: readonly ChangedFile[],
    changes: readonly ChangeEntry[]
): readonly ChangedFile[] {
    const above = (files: readonly ChangedFile[]) =>
        new Set(files.flatMap(({ path }) => foldersAbove(path)));
    const all = changes.flatMap((change) => change.files);
    const filled = above(all.filter(({ beforeHash }) => beforeHash === null));
    const kept = above(merged.filter(({ beforeHash }) => beforeHash !== null));
    return merged.flatMap((file) => {
        const isOwn =
            file.beforeHash !== null &&
            typeBefore(file) === "folder" &&
            (file.afterHash === null || typeAfter(file) !== "folder") &&
            filled.has(file.path) &&
            !kept.has(file.path);
        if (!isOwn) return file;
        const { typeBefore: _, modeBefore: __, ...made } = file;
        return made.afterHash === null ? [] : { ...made, beforeHash: null };
    });
}

/** Joins several changes of a file into one; omits those that cancel out. */
function mergedByFile(changes: readonly ChangeEntry[]): readonly ChangedFile[] {
    const files = new Map<string, ChangedFile>();
    for (const file of changes.flatMap((change) => change.files)) {
        const earlier = files.get(file.path);
        if (earlier && earlier.afterHash !== file.beforeHash) {
            throw new NorthError(
                "changed-since",
                `Nothing was undone: something else changed ${file.path} between two of the edits.`,
                [KEEPS_OTHERS]
            );
        }
        files.set(file.path, earlier ? mergeChanges(earlier, file) : file);
    }
    return [...files.values()].filter(
        (file) =>
            file.beforeHash !== file.afterHash ||
            file.typeBefore !== undefined ||
            file.modeBefore !== file.modeAfter
    );
}
