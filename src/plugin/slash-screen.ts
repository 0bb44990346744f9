import type { ChangeSet } from "./change-set.js";

/** One choice of a picker. */
export interface PickerOption {
    readonly id: string;
    readonly label: string;
    readonly hint?: string;
    /** It is what holds now: it comes first, so that Enter alone changes nothing. */
    readonly isCurrent?: boolean;
}

/** What a slash command may do with the terminal. */
export interface SlashScreen {
    /** Prints lines in the scrollback; long ones are broken between words. */
    print(text: string): void;
    /** Prints what a program wrote: its lines stay as they are. */
    printVerbatim(text: string): void;
    /** Lets the user choose with a search; `undefined` when cancelled. */
    pick(title: string, options: readonly PickerOption[]): Promise<string | undefined>;
    /** Shows changes as a review does. */
    showChanges(changeSet: ChangeSet): Promise<void>;
    /** Asks for a yes or no. `lasts`: a yes holds beyond this session, so that Enter is needed too. */
    confirm(
        question: string,
        options?: { readonly details?: readonly string[]; readonly lasts?: boolean }
    ): Promise<boolean>;
    /** Shows changes as a review does, and asks whether to make them. */
    confirmChanges(question: string, changeSet: ChangeSet): Promise<boolean>;
    /**
     * Does what takes long: shows a label meanwhile, which `show` replaces, and the user may stop it.
     * What the work rejects with is shown.
     */
    during(
        label: string,
        work: (signal: AbortSignal, show: (label: string) => void) => Promise<void>
    ): Promise<void>;
    /** Shows the last exchanges of the conversation, as when it is resumed. */
    showExchanges(): void;
    /** Leaves North after this command. */
    quit(): void;
    /** Clears the screen and keeps the conversation. */
    clearScreen(): void;
}
