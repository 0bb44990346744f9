import { sleep } from "../../base/waiting.js";

import { BETWEEN_CHOICES, type LiveView } from "../live-view.js";
import { chord, type Key } from "../terminal/keys.js";
import type { Terminal } from "../terminal/terminal.js";

/** One key, and what it means. */
export interface KeyChoice {
    readonly key: string;
    readonly label: string;
    /** Shows more and leaves the question open; offered once. */
    show?(): void;
}

/** Where questions are asked. */
export interface QuestionPlace {
    readonly terminal: Pick<Terminal, "keyboard" | "screen" | "theme">;
    readonly view: Pick<LiveView, "isTyping" | "print" | "printVerbatim" | "setQuestion">;
}

const TYPING_CHECK_MS = 50;

/** The answer of somebody who gave none. */
export const CANCELLED = "cancelled";

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
    // What is typed until now goes where it was meant to go, to the end of the sentence; then the
    // question is drawn and the keys are taken in one step, so that no key falls between the two.
    await terminal.screen.flush();
    await terminal.keyboard.drain();
    while (view.isTyping && !signal.aborted) {
        await sleep(TYPING_CHECK_MS);
        await terminal.keyboard.drain();
    }
    if (signal.aborted) return CANCELLED;
    view.setQuestion(lineOf(choices));
    terminal.screen.draw();
    try {
        return await nextAnswer(place, choices, signal);
    } finally {
        view.setQuestion(undefined);
    }
}

function nextAnswer(
    { terminal, view }: QuestionPlace,
    choices: readonly KeyChoice[],
    signal: AbortSignal
): Promise<string> {
    return new Promise((resolve) => {
        let open = choices;
        const settle = (answer: string): void => {
            release();
            signal.removeEventListener("abort", onAbort);
            resolve(answer);
        };
        const onAbort = (): void => settle(CANCELLED);
        const release = terminal.keyboard.take((key) => {
            const choice = chosen(key, open);
            if (choice?.show) {
                open = open.filter((other) => other !== choice);
                view.setQuestion(lineOf(open));
                choice.show();
            } else if (choice || isCancel(key)) {
                terminal.keyboard.absorb(key);
                settle(choice?.key ?? CANCELLED);
            } else if (chord(key) === "enter") {
                // Enter is what one presses without reading; it says again what could be pressed.
                view.print(terminal.theme.quiet(lineOf(open)));
            }
        });
        signal.addEventListener("abort", onAbort);
    });
}

function lineOf(choices: readonly KeyChoice[]): string {
    return `  ${choices.map(({ key, label }) => `${key} ${label}`).join(BETWEEN_CHOICES)}`;
}

function isCancel(key: Key): boolean {
    return ["ctrl-c", "escape"].includes(chord(key) ?? "");
}

function chosen(key: Key, choices: readonly KeyChoice[]): KeyChoice | undefined {
    if (key.type !== "text") return undefined;
    return choices.find((choice) => choice.key === key.text.toLowerCase());
}
