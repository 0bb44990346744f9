import { diffsOf } from "../../core/diff/diff.js";
import { shownName } from "../../plugin/change-set.js";
import type { ChangeSet, Confirmation } from "../../plugin/index.js";
import { loadDiffDetails } from "../render/diff/diff-details.js";
import { diffLines } from "../render/diff/diff-lines.js";
import { showControls, visibleLine, visibleName } from "../../base/safe-text.js";
import { diffBody } from "./diff-body.js";
import { bodyOf, indented } from "./excerpt.js";
import {
    ALWAYS,
    CANCELLED,
    NO,
    VIEW,
    YES,
    type Answer,
    type Question,
    type Prompt,
} from "./question.js";
import { askAndView } from "./ask.js";

const ANSWERS: Readonly<Record<string, string>> = { n: "no", y: "yes", a: "always" };

/** Asks yes or no; `undefined` if cancelled. Leaves one line in the transcript. */
export async function confirm(
    prompt: Prompt,
    question: string,
    { details = [], lasts = false, always = false }: Confirmation,
    signal: AbortSignal
): Promise<boolean | undefined> {
    const text = details.map(showControls).join("\n");
    const body = text === "" ? [] : bodyOf(text, (line) => line).map(indented);
    const yes = always ? ALWAYS : { ...YES, needsEnter: lasts };
    const title = visibleLine(question);
    return isYes(prompt, { title, body, choices: [NO, yes, VIEW] }, signal, () => [text]);
}

/** Like `confirm`, and shows the changes. */
export async function confirmChanges(
    prompt: Prompt,
    title: string,
    changeSet: ChangeSet,
    signal: AbortSignal
): Promise<boolean> {
    const diffs = diffsOf(changeSet);
    const { theme } = prompt.terminal;
    const style = { theme, details: await loadDiffDetails(changeSet, theme) };
    const [first] = diffs;
    const name = diffs.length === 1 && first ? ` ${visibleName(shownName(first))}` : "";
    const question = {
        title: `${title}${name}`,
        body: diffBody(diffs, style),
        choices: [NO, YES, VIEW],
    };
    return (await isYes(prompt, question, signal, () => diffLines(diffs, style))) ?? false;
}

async function isYes(
    prompt: Prompt,
    question: Question,
    signal: AbortSignal,
    whole: () => readonly string[]
): Promise<boolean | undefined> {
    const answer = await askAndView(prompt, question, signal, whole);
    printAnswer(prompt, question, answer);
    return answer === CANCELLED ? undefined : answer.letter !== NO.letter;
}

/** Prints the one line left of a question that belongs to no call. */
export function printAnswer(
    { terminal, view }: Prompt,
    { title }: Question,
    answer: Answer | typeof CANCELLED
): void {
    const said = answer === CANCELLED ? "cancelled" : ANSWERS[answer.letter];
    view.print(`${terminal.theme.question("?")} ${title} ${said}`);
}
