import type { ChangeSet } from "./change-set.js";
import type { AskUser } from "./user-question.js";

/** An option of a picker or of an argument's completion. */
export interface Option {
    /** What the picker resolves to, or what is inserted. */
    readonly value: string;
    /** What a picker shows instead of the value. */
    readonly label?: string;
    readonly description?: string;
    /** The current value. A picker lists it first, so that Enter alone changes nothing. */
    readonly isCurrent?: boolean;
}

/** What a yes covers, and for how long. */
export interface Confirmation {
    /** Details that the question leaves out, one line each. */
    readonly details?: readonly string[];
    /** A yes outlives the session, so it also needs Enter. */
    readonly lasts?: boolean;
    /** A yes is permanent for this project, so it takes `a` and Enter. */
    readonly always?: boolean;
}

/** The terminal, as available to slash commands. */
export interface SlashScreen {
    /** Whether the terminal edits lines itself, as with `--plain`: it has no other keys. */
    readonly isLineTerminal?: boolean;
    /** Prints text to the scrollback; long lines wrap between words. */
    print(text: string): void;
    /** Prints program output to the scrollback; lines are not wrapped. */
    printVerbatim(text: string): void;
    /** Opens a searchable picker. Resolves to the chosen value, or `undefined` if cancelled. */
    pick(title: string, options: readonly Option[]): Promise<string | undefined>;
    /** Shows the diffs of a change set, as a review does. */
    showChanges(changeSet: ChangeSet): Promise<void>;
    readonly ask: AskUser;
    /** Asks with one key per choice; the first must be harmless. `undefined` if cancelled. */
    choose(
        question: string,
        choices: readonly { readonly letter: string; readonly label: string }[]
    ): Promise<string | undefined>;
    /** Opens a text in the user's editor; resolves to the edited text. Rejects with `editor-failed`. */
    edit(name: string, text: string): Promise<string>;
    /** Asks yes or no. Resolves to `undefined` if the user answers neither, as with Ctrl+C. */
    confirm(question: string, options?: Confirmation): Promise<boolean | undefined>;
    /** Shows the diffs and asks whether to apply them; applying is up to the caller. */
    confirmChanges(question: string, changeSet: ChangeSet): Promise<boolean>;
    /**
     * Runs slow work under a live label; `show` replaces the label, by one or more lines. Esc aborts
     * the signal. A rejection is shown to the user and not rethrown; then it resolves to `undefined`.
     */
    during<Result>(
        label: string,
        work: (signal: AbortSignal, show: (label: string) => void) => Promise<Result>
    ): Promise<Result | undefined>;
    /** Runs work that cannot be cancelled under a live label. Settles like it. */
    untilDone<Result>(label: string, work: () => Promise<Result>): Promise<Result>;
    /** Copies text to the clipboard. Rejects with `not-copied`. */
    copy(text: string): Promise<void>;
    /** Shows the last exchanges of the conversation, as `north resume` does. */
    showExchanges(): void;
    /** Quits North after this command. */
    quit(): void;
    /** Clears the screen; the conversation continues. */
    clearScreen(): void;
}
