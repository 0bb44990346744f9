import { meaningOf } from "../composer/bindings.js";
import { edit, EMPTY, type EditorState } from "../composer/editor.js";
import { chord } from "../terminal/keys.js";
import { wrapText } from "../composer/layout.js";
import { textWidth } from "../terminal/graphemes.js";
import type { Prompt } from "./question.js";

/** Resolves with the trimmed line: empty on Enter or Escape, `undefined` on Ctrl+C or abort. */
export function askLine(
    { terminal, view }: Prompt,
    label: string,
    signal: AbortSignal
): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    let state: EditorState = EMPTY;
    const show = (): void =>
        view.setQuestion((columns, maxRows) => {
            const all = wrapText(`  ${label} ${state.text}`, columns - 2);
            const rows = all.slice(-maxRows);
            const cursor = { row: rows.length - 1, column: textWidth(rows.at(-1) ?? "") };
            return { rows: rows.map((row) => terminal.theme.question(row)), cursor };
        });
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
            if (meaning === "send") {
                terminal.keyboard.absorb(key);
                settle(state.text.trim());
            } else if (chord(key) === "escape") {
                settle("");
            } else if (chord(key) === "ctrl-c") {
                settle(undefined);
            }
            // The cursor stays at the end: answers are short.
            else if (typeof meaning === "object" && meaning.type !== "move") {
                state = edit(state, meaning);
                const text = state.text.replace(/\s+/g, (blank) =>
                    blank.includes("\n") ? " " : blank
                );
                state = { ...state, text, cursor: text.length };
                show();
            }
        });
        signal.addEventListener("abort", onAbort);
    });
}
