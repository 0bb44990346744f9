import type { LiveView } from "../live-view.js";
import type { VerbatimLine } from "../render/rows.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Clock } from "./deliberate-keys.js";

/** Where questions are asked, and what they are about is shown. */
export interface QuestionPlace {
    readonly terminal: Pick<
        Terminal,
        "keyboard" | "screen" | "theme" | "takesLines" | "lend" | "environment"
    >;
    readonly view: Pick<
        LiveView,
        "columns" | "hasDraft" | "print" | "printVerbatim" | "setQuestion"
    >;
    /** The system's if absent. */
    readonly clock?: Clock;
}

export interface Choice {
    /** Its key; upper case where it settles all the rest. */
    readonly letter: string;
    readonly label: string;
    /** It has an effect: it is offered only where what is decided can be judged. */
    readonly approves?: boolean;
    /** It lasts, or has a consequence: its letter only selects it, and Enter takes it. */
    readonly needsEnter?: boolean;
}

export interface Question {
    /** One sentence with a question mark; nothing invisible in it. */
    readonly title: string;
    readonly aside?: string;
    /** What is decided; nothing where the title says it all. */
    readonly body?: readonly VerbatimLine[];
    readonly warnings?: readonly string[];
    /** What may be known; left out where there is no room. */
    readonly hint?: string;
    /** The first one does nothing. */
    readonly choices: readonly Choice[];
    /** Somebody has looked at the whole body. */
    readonly isViewed?: boolean;
    /** What is typed after a "no" is its reason. */
    readonly takesReason?: boolean;
}

export interface Answer {
    readonly letter: string;
    readonly reason?: string;
}

/** The answer of somebody who gave none: Ctrl+C, or an abort. */
export const CANCELLED = "cancelled";

/** The choice with a letter, in either case where that says nothing else. */
export function choiceOf(letter: string, offered: readonly Choice[]): Choice | undefined {
    return (
        offered.find((choice) => choice.letter === letter) ??
        offered.find((choice) => choice.letter === letter.toLowerCase())
    );
}

export const NO: Choice = { letter: "n", label: "no" };
export const YES: Choice = { letter: "y", label: "yes", approves: true };
export const ALWAYS: Choice = {
    letter: "a",
    label: "always in this project",
    approves: true,
    needsEnter: true,
};
/** Opens what is decided in the pager; offered where not all of it is on the screen. */
export const VIEW: Choice = { letter: "v", label: "view it all" };
