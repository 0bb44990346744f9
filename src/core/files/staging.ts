/**
 * The texts of one conversation's streamed files that are not in place yet, kept outside of the
 * repository. What was appended survives a kill. Paths are relative to the root, with `/`. Throws
 * `disk-full` and `not-writable`.
 */
export interface Staging {
    /** Begins a text, in place of what is kept under this path. */
    begin(path: string): void;
    /** Adds to the text that is kept under this path. */
    append(path: string, text: string): void;
    /** The text so far; `undefined` where nothing is kept. */
    read(path: string): string | undefined;
    remove(path: string): void;
    /** What is kept, sorted. */
    paths(): readonly string[];
    /** The absolute place of a text, to be told to the user. */
    place(path: string): string;
}
