import type { LiveView } from "../live-view.js";
import { chord, type Key } from "../terminal/keys.js";
import type { Terminal } from "../terminal/terminal.js";

/** One key that answers, and what it means. */
export interface KeyChoice {
    readonly key: string;
    readonly label: string;
}

/** Where questions are asked. */
export interface QuestionPlace {
    readonly terminal: Terminal;
    readonly view: LiveView;
}

/**
 * Asks for one key. Resolves with it, or with `CANCELLED` on Ctrl+C, Escape or an abort. Nothing
 * typed before the question was shown answers it.
 */
export async function askKey(
    place: QuestionPlace,
    choices: readonly KeyChoice[],
    signal: AbortSignal
): Promise<string> {
    const { terminal, view } = place;
    const line = `  ${choices.map(({ key, label }) => `${key} ${label}`).join(" · ")} `;
    // What was typed until now goes where it was meant to go; then the question is drawn and the keys
    // are taken in one step, so that no key falls between the two.
    await terminal.screen.flush();
    await terminal.keyboard.drain();
    if (signal.aborted) return CANCELLED;
    view.setQuestion(line);
    terminal.screen.draw();
    try {
        return await nextAnswer(place, choices, line, signal);
    } finally {
        view.setQuestion(undefined);
    }
}

/** The answer of somebody who gave none. */
export const CANCELLED = "cancelled";

function nextAnswer(
    { terminal, view }: QuestionPlace,
    choices: readonly KeyChoice[],
    line: string,
    signal: AbortSignal
): Promise<string> {
    return new Promise((resolve) => {
        const settle = (answer: string): void => {
            release();
            signal.removeEventListener("abort", onAbort);
            resolve(answer);
        };
        const onAbort = (): void => settle(CANCELLED);
        const release = terminal.keyboard.take((key) => {
            const answer = answerOf(key, choices);
            if (answer !== undefined) {
                terminal.keyboard.absorb(key);
                settle(answer);
            } else if (chord(key) === "enter") {
                // Enter is what one presses without reading; it says again what could be pressed.
                view.print(terminal.theme.quiet(line.trimEnd()));
            }
        });
        signal.addEventListener("abort", onAbort);
    });
}

function answerOf(key: Key, choices: readonly KeyChoice[]): string | undefined {
    if (["ctrl-c", "escape"].includes(chord(key) ?? "")) return CANCELLED;
    if (key.type !== "text") return undefined;
    return choices.find((choice) => choice.key === key.text.toLowerCase())?.key;
}
