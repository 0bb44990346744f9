/** A question only the user can answer. It grants nothing: calls need approval as usual. */
export interface UserQuestion {
    /** One sentence. */
    readonly title: string;
    /** Up to 9, one line each. */
    readonly choices?: readonly string[];
    /** Whether the user may type an answer; always so without choices. */
    readonly allowText?: boolean;
}

/** Resolves to the choice or the typed text; `undefined` if the user gives no answer. */
export type AskUser = (question: UserQuestion) => Promise<string | undefined>;
