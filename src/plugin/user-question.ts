/** Something that only the user can say. It grants nothing: whatever the answer, calls are approved as ever. */
export interface UserQuestion {
    /** One sentence. */
    readonly title: string;
    /** Up to 9, each on one line. */
    readonly choices?: readonly string[];
    /** The user may type an answer; so it is without choices. */
    readonly allowText?: boolean;
}

/** Resolves with the choice or what was typed; `undefined` if the user gives no answer. */
export type AskUser = (question: UserQuestion) => Promise<string | undefined>;
