import type { RequestOf, Decision } from "../../core/approval/approver.js";
import { isBinary } from "../../base/binary.js";
import { counted } from "../../base/format.js";
import { foldersAbove } from "../../base/paths.js";
import { isSwap } from "../../plugin/change-set.js";
import { shownName } from "../../plugin/change-set.js";
import { diffLines, type DiffStyle } from "../render/diff/diff-lines.js";
import { visibleLine } from "../../base/safe-text.js";
import { diffBody } from "./diff-body.js";
import { CANCELLED, NO, VIEW, YES, type Choice, type Prompt } from "./question.js";
import { askAndView } from "./ask.js";
import { compareLines } from "../../core/diff/compare-lines.js";
import { allDiffsOf, fileDiff, otherNamesOf, type FileDiff } from "../../core/diff/diff.js";
import { hunksOf, linesOf } from "../../core/diff/hunks.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";

/** The outcome of a review by hunks; `note` summarises it. */
type HunkDecision =
    | { readonly kind: "decision"; readonly decision: Decision; readonly note: string }
    | { readonly kind: "answer"; readonly answer: typeof CANCELLED };

const SKIP: Choice = { ...NO, label: "skip" };
const APPLY: Choice = { ...YES, label: "apply" };
const BACK: Choice = { letter: "b", label: "back" };

/** Asks hunk by hunk; `undefined` if the user goes back to the whole change. */
export async function reviewHunks(
    { changeSet }: RequestOf<"write">,
    prompt: Prompt,
    signal: AbortSignal,
    style: DiffStyle
): Promise<HunkDecision | undefined> {
    const { hunks, compose } = splitChanges(changeSet, allDiffsOf(changeSet));
    const accepted = new Set<Hunk>();
    let index = 0;
    for (let hunk = hunks[0]; hunk; hunk = hunks[index]) {
        const rest = hunks.slice(index);
        const question = {
            title: `Apply hunk ${index + 1} of ${hunks.length} in ${visibleLine(shownName(hunk.diff))}?`,
            subtitle: `${rest.length} left`,
            body: diffBody([hunk.diff], style),
            choices: [SKIP, APPLY, ...restChoices(rest.length), BACK, VIEW],
        };
        const answer = await askAndView(prompt, question, signal, () =>
            diffLines([hunk.diff], style)
        );
        if (answer === CANCELLED) return { kind: "answer", answer };
        const { letter } = answer;
        if (letter === "b") {
            if (index === 0) return undefined;
            index -= 1;
            continue;
        }
        const settled = letter === "A" || letter === "N" ? rest : [hunk];
        for (const each of settled) {
            if (letter === "A" || letter === "y") accepted.add(each);
            else accepted.delete(each);
        }
        index += settled.length;
    }
    const headers = [...accepted].map(({ path, header }) => `${path} ${header}`);
    const note = `${accepted.size} of ${counted(hunks.length, "hunk")}`;
    const decision = (): Decision => {
        if (accepted.size === 0) return { kind: "deny" };
        if (accepted.size === hunks.length) return { kind: "approve" };
        return { kind: "modify", changeSet: compose(accepted), hunks: headers };
    };
    return { kind: "decision", decision: decision(), note };
}

/** The remaining hunks are off screen now, but were part of the whole change shown before. */
function restChoices(left: number): readonly Choice[] {
    if (left < 2) return [];
    const others = `${left - 1} not shown`;
    return [
        { letter: "A", label: `apply rest, ${others}`, approves: true, needsEnter: true },
        { letter: "N", label: "skip rest" },
    ];
}

export interface Hunk {
    readonly path: string;
    /** `@@ -1,3 +1,4 @@` */
    readonly header: string;
    readonly diff: FileDiff;
}

interface SplitChanges {
    readonly hunks: readonly Hunk[];
    /** The change set with only these hunks; empty if none. */
    compose(accepted: ReadonlySet<Hunk>): ChangeSet;
}

interface SplitFile {
    readonly hunks: readonly Hunk[];
    compose(accepted: ReadonlySet<Hunk>): readonly FileChange[];
}

/** Works on bytes to keep line endings. A created, deleted or binary file is one hunk. */
export function splitChanges(changeSet: ChangeSet, diffs: readonly FileDiff[]): SplitChanges {
    const shown = new Map(diffs.map((diff) => [diff.path, diff]));
    const { changes } = changeSet;
    const swaps = new Set(changes.filter(isSwap).map(({ path }) => path));
    const insideOf = new Map<string, FileChange[]>();
    const own = changes.filter((change) => {
        const swap = foldersAbove(change.path).find((folder) => swaps.has(folder));
        if (swap !== undefined) insideOf.set(swap, [...(insideOf.get(swap) ?? []), change]);
        return swap === undefined;
    });
    const files = own.map((change) => {
        const name = change.type === "folder" ? `${change.path}/` : change.path;
        return splitFile(change, shown.get(name), insideOf.get(change.path) ?? []);
    });
    return {
        hunks: files.flatMap(({ hunks }) => hunks),
        compose: (accepted) => ({
            changes: files.flatMap((file) => file.compose(accepted)),
        }),
    };
}

/** `inside`: what moves with a folder that comes or goes. */
function splitFile(
    change: FileChange,
    shown: FileDiff | undefined,
    inside: readonly FileChange[]
): SplitFile {
    const { path, before, after } = change;
    const isFile = change.type === undefined && change.typeBefore === undefined;
    const isText = isFile && before && after && !isBinary(before) && !isBinary(after);
    const segments = isText ? compareLines(linesOf(before), linesOf(after)) : [];
    const parts = hunksOf(segments);
    // Also a mode change, which has no lines.
    if (parts.length === 0) {
        const nothing = { path, diff: "", linesAdded: 0, linesRemoved: 0 };
        const diff: FileDiff = shown ?? { ...nothing, kind: "modified" };
        const hunk = { path, header: "(the whole file)", diff };
        return {
            hunks: [hunk],
            compose: (accepted) => (accepted.has(hunk) ? [change, ...inside] : []),
        };
    }
    const hunks = parts.map((part) => ({
        path,
        header: part.header,
        diff: { ...fileDiff(path, "modified", [part]), ...otherNamesOf(change) },
    }));
    return {
        hunks,
        compose(accepted) {
            const chosen = new Set(
                parts.flatMap((part, index) => {
                    const hunk = hunks[index];
                    return hunk && accepted.has(hunk) ? part.segments : [];
                })
            );
            if (chosen.size === 0) return [];
            const lines = segments.flatMap((segment, index) =>
                segment.isEqual || chosen.has(index) ? segment.after : segment.before
            );
            return [{ ...change, after: Buffer.from(lines.join(""), "latin1") }];
        },
    };
}
