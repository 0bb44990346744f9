/** Files as an editor holds them: what is typed there and not saved counts. Paths are absolute. */
export interface EditorFiles {
    /** The text in the editor, with whatever line endings; `undefined` where it cannot tell. */
    read(path: string): Promise<string | undefined>;
    /** Puts the text into the editor, which saves it; absent where an editor does not offer that. */
    write?(path: string, text: string): Promise<void>;
}
