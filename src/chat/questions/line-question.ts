import { meaningOf } from "../composer/bindings.js";
import { edit, EMPTY, type EditorState } from "../composer/editor.js";
import { chord, type Key } from "../terminal/keys.js";
import { wrapText } from "../composer/layout.js";
import { textWidth } from "../terminal/graphemes.js";
import type { Block } from "../terminal/screen.js";
import type { Prompt } from "./question.js";

/** A question answered in a line that the user edits. */
export interface LineQuestion {
    /** Precedes the line. */
    readonly label: string;
    /** What is shown below the line. */
    below?(text: string, columns: number, maxRows: number): readonly string[];
    /** A key's answer to the question; absent if it only edits the line. */
    answerTo(key: Key, text: string): { readonly answer: string | undefined } | undefined;
}

/** Resolves with the trimmed line: empty on Enter or Escape, `undefined` on Ctrl+C or abort. */
export function askLine(
    prompt: Prompt,
    label: string,
    signal: AbortSignal
): Promise<string | undefined> {
    const answerTo: LineQuestion["answerTo"] = (key, text) => {
        if (meaningOf(key) === "send") return { answer: text.trim() };
        return chord(key) === "escape" ? { answer: "" } : undefined;
    };
    return askInLine(prompt, { label: `  ${label}`, answerTo }, signal);
}

/** Resolves with what a key answers: `undefined` on Ctrl+C or abort. */
export function askInLine(
    { terminal, view }: Prompt,
    question: LineQuestion,
    signal: AbortSignal
): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    let state: EditorState = EMPTY;
    const block = (columns: number, maxRows: number): Block => {
        const all = wrapText(`${question.label} ${state.text}`, columns - 2);
        const head = all.slice(-maxRows);
        const cursor = { row: head.length - 1, column: textWidth(head.at(-1) ?? "") };
        const below = question.below?.(state.text, columns, maxRows - head.length) ?? [];
        return { rows: [...head.map((row) => terminal.theme.question(row)), ...below], cursor };
    };
    const show = (): void => view.setQuestion(block);
    show();
    return new Promise((resolve) => {
        const settle = (answer: string | undefined): void => {
            release();
            signal.removeEventListener("abort", onAbort);
            view.setQuestion(undefined);
            resolve(answer);
        };
        const onAbort = (): void => settle(undefined);
        const release = terminal.keyboard.take((key) => {
            const meaning = meaningOf(key);
            const answered =
                chord(key) === "ctrl-c"
                    ? { answer: undefined }
                    : question.answerTo(key, state.text);
            if (meaning === "send") terminal.keyboard.absorb(key);
            if (answered) return settle(answered.answer);
            // The cursor stays at the end: answers are short.
            if (typeof meaning === "object" && meaning.type !== "move") {
                state = edit(state, meaning);
                const text = state.text.replace(/\s+/g, (blank) =>
                    blank.includes("\n") ? " " : blank
                );
                state = { ...state, text, cursor: text.length };
            }
            show();
        });
        signal.addEventListener("abort", onAbort);
    });
}
