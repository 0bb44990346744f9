/** What the user typed in this project, over all conversations. */
export interface InputHistory {
    /** Oldest first. */
    load(): Promise<readonly string[]>;
    /** Adds one input; safe across processes. */
    append(text: string): Promise<void>;
}
