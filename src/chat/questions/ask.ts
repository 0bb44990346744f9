import { PassThrough } from "node:stream";
import {
    DeliberateKeys,
    systemClock,
    type QuestionAction,
    EnteredLines,
} from "./deliberate-keys.js";
import { askLine } from "./line-question.js";
import { CANCELLED, choiceOf, NO, type Answer, type Question, type Prompt } from "./question.js";
import { showQuestion, type QuestionState, type ShownQuestion } from "./question-rows.js";
import { findPager, page } from "../terminal/programs.js";
import type * as QuestionPrompt from "./question-prompt.js";

/** Resolves with the choice or `CANCELLED`. Keys that are not an answer go to the previous handler. */
export async function ask(
    place: Prompt,
    question: Question,
    signal: AbortSignal
): Promise<Answer | typeof CANCELLED> {
    const { terminal } = place;
    const prompt = await import("./question-prompt.js");
    // Deliver pending keys to their handler first. Then draw the question and take the keyboard in
    // one step, so that no key falls between the two.
    await terminal.screen.flush();
    await terminal.keyboard.drain();
    if (signal.aborted) return CANCELLED;
    const answer = await answerOf(place, question, signal, prompt);
    if (answer === CANCELLED || answer.letter !== "n" || !question.takesReason) return answer;
    if (answer.reason !== undefined) return answer;
    const reason = await askLine(
        place,
        "Why not? The model sees your reason (Enter: none):",
        signal
    );
    if (reason === undefined) return CANCELLED;
    return reason === "" ? answer : { ...answer, reason };
}

async function answerOf(
    { terminal, view, clock = systemClock }: Prompt,
    question: Question,
    signal: AbortSignal,
    { questionPrompt }: typeof QuestionPrompt
): Promise<Answer | typeof CANCELLED> {
    const canceller = new AbortController();
    const [first = NO] = question.choices;
    let shown: ShownQuestion = { rows: [], offered: [], selected: first, wholeLines: [] };
    let current: QuestionState = {};
    let perform: (action: QuestionAction) => void = () => {};
    let reason: string | undefined;
    let isOver = false;
    const settled = (): void => {
        isOver = true;
        view.setQuestion(undefined);
    };
    const handlers = {
        isLetter: (text: string): boolean => choiceOf(text, shown.offered) !== undefined,
        act(action: QuestionAction, why?: string): void {
            if (isOver) return;
            reason = why;
            perform(action);
        },
        cancel(): void {
            settled();
            canceller.abort();
        },
        refuse: (text: string): void =>
            view.print(terminal.theme.warning(notSent(text, shown.offered))),
    };
    const { keyboard } = terminal;
    const { lastKeyAt } = keyboard;
    const keys = terminal.isLineTerminal
        ? new EnteredLines(handlers)
        : new DeliberateKeys({ ...handlers, clock, lastKeyAt, hasDraft: () => view.hasDraft });
    const release = keyboard.take((key, pass) => (isOver ? pass(key) : keys.handle(key, pass)));
    const show = (state: QuestionState): void => {
        current = state;
        // A line terminal cannot redraw the question in place.
        if (terminal.isLineTerminal && shown.rows.length > 0) {
            const chosen = shown.offered.find(({ letter }) => letter === state.selected);
            shown = { ...shown, selected: chosen ?? first };
            return;
        }
        view.setQuestion((columns, rows) => {
            shown = showQuestion(question, current, { columns, rows }, terminal.theme);
            question.onShown?.(shown.wholeLines);
            return shown;
        });
        terminal.screen.draw();
    };
    const connect = (take: typeof perform): void => void (perform = take);
    const config = { show, shown: () => shown, connect, settled };
    // The prompt gets actions only, and its output is discarded.
    const [input, output] = [new PassThrough(), new PassThrough().resume()];
    const either = AbortSignal.any([signal, canceller.signal]);
    try {
        const letter = await questionPrompt(config, { input, output, signal: either });
        return reason === undefined ? { letter } : { letter, reason };
    } catch (error) {
        if (either.aborted) return CANCELLED;
        throw error;
    } finally {
        release();
        keys.end();
        settled();
        input.end();
    }
}

/** Asks; on `v` shows `whole`, the unfolded body, in the pager or else the transcript. */
export async function askAndView(
    prompt: Prompt,
    question: Question,
    signal: AbortSignal,
    whole: () => readonly string[]
): Promise<Answer | typeof CANCELLED> {
    let isViewed = false;
    for (;;) {
        const answer = await ask(prompt, { ...question, isViewed }, signal);
        if (answer === CANCELLED || answer.letter !== "v") return answer;
        const pager = await findPager(prompt.terminal.environment);
        const lines = [question.title, "", ...whole()];
        if (pager) {
            await page(prompt.terminal, pager, `${lines.join("\n")}\n`);
        } else {
            prompt.view.printVerbatim(lines);
            question.onPrinted?.();
        }
        isViewed = true;
    }
}

function notSent(text: string, offered: ShownQuestion["offered"]): string {
    if (choiceOf(text, offered) !== undefined) {
        return `"${text}" does not count: Enter came too soon after it. Clear the line and press ${text} by itself.`;
    }
    const answers = offered.map(({ letter }) => letter).join(", ");
    return `"${text}" was not sent. The answers are ${answers}.`;
}
