/** A place in the log where a text was found. */
export interface Recalled {
    readonly conversationId: string;
    /** Number of the user's message, from 1. */
    readonly turn: number;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly who: "you" | "model" | "tool";
    /** One line around the text, without secrets. */
    readonly excerpt: string;
}

/**
 * Finds a text, ignoring case, in earlier turns of this conversation, including summarized ones, and
 * in the project's other conversations, newest first. Results of tools that bring text from outside
 * are not searched. Rejects with `invalid-search` if the text is blank.
 */
export type Recall = (text: string) => Promise<readonly Recalled[]>;
