import { setTimeout } from "node:timers/promises";

import type { PseudoTerminal } from "./pseudo-terminal.js";

type AnswerTerminal = Pick<PseudoTerminal, "press" | "type" | "waitFor" | "waitUntil">;

/** The letter of each answer. Tests must not name the keys of questions anywhere else. */
const LETTERS = {
    yes: "y",
    no: "n",
    "yes, with the trailer": "m",
    "until I quit": "s",
    always: "a",
    view: "v",
    edit: "e",
    "hunk by hunk": "h",
    back: "b",
    "apply the rest": "A",
    "skip the rest": "N",
    later: "l",
    discard: "d",
    "apply the draft, then run": "w",
} as const;

export type AnswerName = keyof typeof LETTERS;

/** Longer than the silence that a letter needs before it. */
const QUIET_MS = 450;
const SELECTED = /› [a-zA-Z] \S/;
const REASON = "Why not?";

/** Waits until the next key cannot count as part of earlier typing. Resolves with the screen. */
export async function quiet(terminal: AnswerTerminal): Promise<string> {
    await setTimeout(QUIET_MS);
    return terminal.waitUntil(() => true);
}

/** Whether the screen shows the choices of a question. */
export function isAsking(screen: string): boolean {
    return SELECTED.test(screen);
}

/** Resolves once the screen shows a question with this choice. */
export async function offered(terminal: AnswerTerminal, meaning: AnswerName = "no"): Promise<void> {
    const letter = new RegExp(`(?:^|[ ›])${LETTERS[meaning]}(?: |$)`, "m");
    await terminal.waitUntil((screen) => {
        const from = screen.search(SELECTED);
        return from >= 0 && (letter.test(screen.slice(from)) || letter.test(lastRows(screen)));
    }, `a question that offers "${meaning}"`);
}

/** The last rows, which hold a row or a column of choices. */
function lastRows(screen: string): string {
    return screen.trimEnd().split("\n").slice(-10).join("\n");
}

/**
 * Answers the question on screen like a user who has read it: a single letter, and Enter where it
 * is required. A "no" gets a reason, or just Enter.
 */
export async function answer(
    terminal: AnswerTerminal,
    meaning: AnswerName,
    { reason = "", takesReason = true } = {}
): Promise<void> {
    await offered(terminal, meaning);
    const before = await quiet(terminal);
    terminal.press(LETTERS[meaning]);
    const after = await terminal.waitUntil(
        (screen) => screen !== before && !screen.endsWith(`❯ ${LETTERS[meaning]}`),
        `an effect of "${meaning}"`
    );
    if (after.includes("(press Enter)")) terminal.press("enter");
    if (meaning !== "no" || !takesReason) return;
    await terminal.waitFor(REASON);
    if (reason !== "") {
        terminal.type(reason);
        await terminal.waitUntil((screen) => screen.includes(reason.slice(-10)), "the reason");
    }
    terminal.press("enter");
}

/** Answers in a line-mode terminal. */
export function enterAnswer(terminal: AnswerTerminal, meaning: AnswerName, reason = ""): void {
    terminal.type(`${LETTERS[meaning]}${reason === "" ? "" : ` ${reason}`}`);
    terminal.press("enter");
}
