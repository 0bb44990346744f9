import type { ApprovalRequest, Decision } from "../../core/approval/approver.js";
import { counted } from "../../base/format.js";
import { diffLines, type DiffStyle } from "../render/diff/diff-lines.js";
import { visibleLine } from "../../base/safe-text.js";
import { diffBody } from "./diff-body.js";
import { splitChanges, type Hunk } from "./hunks.js";
import { CANCELLED, NO, VIEW, YES, type Choice, type QuestionPlace } from "./question.js";
import { askAndView } from "./view.js";

type WriteRequest = Extract<ApprovalRequest, { kind: "write" }>;

/** What was decided part by part; `note` says it in a few words. */
type HunkDecision =
    | { readonly kind: "decision"; readonly decision: Decision; readonly note: string }
    | { readonly kind: "answer"; readonly answer: typeof CANCELLED };

const SKIP: Choice = { ...NO, label: "skip" };
const APPLY: Choice = { ...YES, label: "apply" };
const BACK: Choice = { letter: "b", label: "back" };

/** Asks hunk by hunk; `undefined` when the user went back to the change as a whole. */
export async function reviewHunks(
    { changeSet, diffs }: WriteRequest,
    place: QuestionPlace,
    signal: AbortSignal,
    style: DiffStyle
): Promise<HunkDecision | undefined> {
    const { hunks, compose } = splitChanges(changeSet, diffs);
    const accepted = new Set<Hunk>();
    for (let index = 0; index < hunks.length;) {
        const [hunk] = hunks.slice(index, index + 1);
        if (!hunk) break;
        const rest = hunks.slice(index);
        const question = {
            title: `Apply hunk ${index + 1} of ${hunks.length} in ${visibleLine(hunk.path)}?`,
            aside: `${rest.length} left`,
            body: diffBody([hunk.diff], style),
            choices: [SKIP, APPLY, ...restChoices(rest.length), BACK, VIEW],
        };
        const answer = await askAndView(place, question, signal, () =>
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

/** The others are not on the screen, but were with the whole change. */
function restChoices(left: number): readonly Choice[] {
    if (left < 2) return [];
    const others = `${left - 1} not shown`;
    return [
        { letter: "A", label: `apply rest, ${others}`, approves: true, needsEnter: true },
        { letter: "N", label: "skip rest" },
    ];
}
