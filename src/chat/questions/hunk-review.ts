import type { RequestOf, Decision } from "../../core/approval/approver.js";
import { counted, formatInteger } from "../../base/format.js";
import { shownName } from "../../plugin/change-set.js";
import { diffLines, diffRows, type DiffStyle } from "../render/diff/diff-lines.js";
import { visibleName } from "../../base/safe-text.js";
import { diffBody } from "./diff-body.js";
import {
    CANCELLED,
    NO,
    VIEW,
    YES,
    type Choice,
    type Prompt,
    type ReviewAnswer,
} from "./question.js";
import { askAndView } from "./ask.js";
import type { VerbatimLine } from "../render/rows.js";
import type { ShownLines } from "./shown-lines.js";
import { allDiffsOf } from "../../core/diff/diff.js";
import { type Hunk, splitChanges } from "../../core/diff/split-changes.js";

const SKIP: Choice = { ...NO, label: "skip" };
const APPLY: Choice = { ...YES, label: "apply" };
const BACK: Choice = { letter: "b", label: "back" };

/** Asks hunk by hunk; `undefined` if the user goes back to the whole change. */
export async function reviewHunks(
    { changeSet }: RequestOf<"write">,
    { shown, ...prompt }: Prompt & { readonly shown: ShownLines },
    signal: AbortSignal,
    style: DiffStyle
): Promise<ReviewAnswer | undefined> {
    const { hunks, compose } = splitChanges(changeSet, allDiffsOf(changeSet));
    const accepted = new Set<Hunk>();
    let index = 0;
    for (let hunk = hunks[0]; hunk; hunk = hunks[index]) {
        const rest = hunks.slice(index);
        const place = `${formatInteger(index + 1)} of ${formatInteger(hunks.length)}`;
        const question = {
            title: `Apply hunk ${place} in ${visibleName(shownName(hunk.diff))}?`,
            subtitle: `${formatInteger(rest.length)} left`,
            body: diffBody([hunk.diff], style),
            choices: [SKIP, APPLY, ...restChoices(rest.length), BACK, VIEW],
            onShown: (lines: readonly VerbatimLine[]) => shown.add(lines),
            onPrinted: () => shown.add(diffRows([hunk.diff], style)),
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
    const note = `${formatInteger(accepted.size)} of ${counted(hunks.length, "hunk")}`;
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
    const others = `${formatInteger(left - 1)} not shown`;
    return [
        { letter: "A", label: `apply rest, ${others}`, approves: true, needsEnter: true },
        { letter: "N", label: "skip rest" },
    ];
}
