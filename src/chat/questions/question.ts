import type { VerbatimLine } from "../render/verbatim.js";

/** One answer to a question. */
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
    /** Stands after the title where there is room. */
    readonly aside?: string;
    /** What is decided; nothing where the title says it all. */
    readonly body?: readonly VerbatimLine[];
    /** What must be known before an answer. */
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

/** How a question was answered. */
export interface Answer {
    readonly letter: string;
    readonly reason?: string;
}

/** The answer of somebody who gave none: Ctrl+C, or an abort. */
export const CANCELLED = "cancelled";

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
