import type { Decision } from "../../core/approval/approver.js";
import type { LiveView } from "../live-view.js";
import type { VerbatimLine } from "../render/rows.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Clock } from "./deliberate-keys.js";

/** Where questions are asked and their subject is shown. */
export interface Prompt {
    readonly terminal: Pick<
        Terminal,
        "keyboard" | "screen" | "theme" | "isLineTerminal" | "lend" | "environment"
    >;
    readonly view: Pick<
        LiveView,
        "columns" | "hasDraft" | "print" | "printVerbatim" | "setQuestion"
    >;
    /** Default: the system clock. */
    readonly clock?: Clock;
}

export interface Choice {
    /** Its key. Upper case if it settles all the rest. */
    readonly letter: string;
    readonly label: string;
    /** The label where the choices would take more than one row beside a shortened body. */
    readonly short?: string;
    /** Has an effect, so it is offered only if its subject is shown. */
    readonly approves?: boolean;
    /** Lasting or risky: the letter only selects it, and Enter takes it. */
    readonly needsEnter?: boolean;
}

export interface Question {
    /** One sentence with a question mark, without control characters. */
    readonly title: string;
    readonly subtitle?: string;
    /** What is decided; absent if the title says it all. */
    readonly body?: readonly VerbatimLine[];
    readonly warnings?: readonly string[];
    /** Optional note, dropped if there is no room. */
    readonly hint?: string;
    /** The first one must be harmless. */
    readonly choices: readonly Choice[];
    /** Whether the user has viewed the whole body. */
    readonly isViewed?: boolean;
    /** Whether the pager has details that nobody has to see. */
    readonly hasDetails?: boolean;
    /** What only the pager shows, in words. */
    readonly omitted?: string;
    /** Text typed after a "no" is its reason. */
    readonly takesReason?: boolean;
    /** Called with the lines of the body that are whole on the screen, each time it is drawn. */
    onShown?(lines: readonly VerbatimLine[]): void;
    /** Called once all of the body is in the transcript. */
    onPrinted?(): void;
}

export interface Answer {
    readonly letter: string;
    readonly reason?: string;
}

/** No answer: Ctrl+C or abort. */
export const CANCELLED = "cancelled";

/** The choice with this letter, or label where lines are entered. Exact case first, then lower case. */
export function choiceOf(typed: string, offered: readonly Choice[]): Choice | undefined {
    const lower = typed.toLowerCase();
    return (
        offered.find(({ letter }) => letter === typed) ??
        offered.find(({ letter, label }) => [letter, label.toLowerCase()].includes(lower))
    );
}

export const NO: Choice = { letter: "n", label: "no" };
export const YES: Choice = { letter: "y", label: "yes", approves: true };
export const ALWAYS: Choice = {
    letter: "a",
    label: "always in this project",
    short: "always",
    approves: true,
    needsEnter: true,
};
/** Opens the whole body in the pager. Offered if part of it is hidden. */
export const VIEW: Choice = { letter: "v", label: "view all", short: "view" };

/** `note` summarizes a decision. */
export type ReviewAnswer =
    | { readonly kind: "answer"; readonly answer: Answer | typeof CANCELLED }
    | { readonly kind: "decision"; readonly decision: Decision; readonly note: string };
