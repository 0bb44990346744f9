import { PassThrough, Writable } from "node:stream";

import { fitMiddle } from "../render/rows.js";
import { DeliberateKeys, systemClock, type QuestionAction } from "./deliberate-keys.js";
import { EnteredLines, type EnteredLinesOptions } from "./entered-lines.js";
import { askLine } from "./line-question.js";
import { PROMPT_KEYS } from "./prompt-keys.js";
import type * as QuestionPrompt from "./question-prompt.js";
import { CANCELLED, NO, type Answer, type Question } from "./question.js";
import type { QuestionPlace } from "./question-place.js";
import { showQuestion, type QuestionState, type ShownQuestion } from "./question-rows.js";

/** With the words after it a title fits into 80 columns. */
const LONGEST_TITLE = 40;

/**
 * Asks, below the transcript, and resolves with the choice, or with `CANCELLED` on Ctrl+C or an
 * abort. What was typed before the question was shown, and all that is no answer, is left to whoever
 * had the keyboard.
 */
export async function ask(
    place: QuestionPlace,
    question: Question,
    signal: AbortSignal
): Promise<Answer | typeof CANCELLED> {
    const { terminal } = place;
    const prompt = await import("./question-prompt.js");
    // What is typed until now goes where it was meant to go; then the question is drawn and the keys
    // are taken in one step, so that no key falls between the two.
    await terminal.screen.flush();
    await terminal.keyboard.drain();
    if (signal.aborted) return CANCELLED;
    const answer = await answerOf(place, question, signal, prompt);
    if (answer === CANCELLED || answer.letter !== "n" || !question.takesReason) return answer;
    if (answer.reason !== undefined) return answer;
    const reason = await askLine(
        place,
        `${fitMiddle(question.title, LONGEST_TITLE)} no, because (Enter: no reason):`,
        signal
    );
    if (reason === undefined) return CANCELLED;
    return reason === "" ? answer : { ...answer, reason };
}

async function answerOf(
    place: QuestionPlace,
    question: Question,
    signal: AbortSignal,
    { questionPrompt }: typeof QuestionPrompt
): Promise<Answer | typeof CANCELLED> {
    const { terminal, view } = place;
    const left = new AbortController();
    const input = new PassThrough();
    const [first = NO] = question.choices;
    let shown: ShownQuestion = { rows: [], offered: [], selected: first };
    let current: QuestionState = {};
    let reason: string | undefined;
    let isOver = false;
    const end = (): void => {
        isOver = true;
        view.setQuestion(undefined);
    };
    const act = (action: QuestionAction, why?: string): void => {
        reason = why;
        input.write(sequenceFor(action, shown));
    };
    const cancel = (): void => {
        end();
        left.abort();
    };
    const keys = keysFor(place, { act, cancel }, () => shown);
    const release = terminal.keyboard.take((key, pass) => {
        if (isOver) pass(key);
        else keys.handle(key, pass);
    });
    const show = (state: QuestionState): void => {
        current = state;
        // A terminal that takes lines cannot show the same question again in its place.
        if (terminal.takesLines && shown.rows.length > 0) {
            const chosen = shown.offered.find(({ letter }) => letter === state.selected);
            shown = { ...shown, selected: chosen ?? first };
            return;
        }
        view.setQuestion((columns, rows) => {
            shown = showQuestion(question, current, { columns, rows }, terminal.theme);
            return shown;
        });
        terminal.screen.draw();
    };
    const context = { input, output: nowhere(), signal: AbortSignal.any([signal, left.signal]) };
    try {
        const letter = await questionPrompt({ show, shown: () => shown, settled: end }, context);
        return reason === undefined ? { letter } : { letter, reason };
    } catch (error) {
        if (left.signal.aborted || signal.aborted) return CANCELLED;
        throw error;
    } finally {
        release();
        keys.end();
        end();
        input.end();
    }
}

function keysFor(
    { terminal, view, clock = systemClock }: QuestionPlace,
    told: Pick<EnteredLinesOptions, "act" | "cancel">,
    shown: () => ShownQuestion
) {
    const isLetter = (text: string): boolean => letterOf(text, shown()) !== undefined;
    if (terminal.takesLines) return new EnteredLines({ isLetter, ...told });
    const { keyboard } = terminal;
    return new DeliberateKeys({
        clock,
        lastKeyAt: keyboard.lastKeyAt,
        isLetter,
        hasDraft: () => view.hasDraft,
        ...told,
    });
}

function sequenceFor(action: QuestionAction, shown: ShownQuestion): string {
    if (action.kind === "letter") return letterOf(action.letter, shown) ?? "";
    return action.kind === "no" ? "n" : PROMPT_KEYS[action.kind];
}

/** The letter of the choice that is meant, in either case where that says nothing else. */
function letterOf(text: string, { offered }: ShownQuestion): string | undefined {
    const letters = offered.map(({ letter }) => letter);
    return [text, text.toLowerCase()].find((letter) => letters.includes(letter));
}

function nowhere(): Writable {
    return new Writable({ write: (_chunk, _encoding, done) => done() });
}
