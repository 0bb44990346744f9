/** Files as open in an editor, including unsaved changes. Paths are absolute. */
export interface EditorFiles {
    /** The text in the editor, with any line endings; `undefined` if it is unavailable. */
    read(path: string): Promise<string | undefined>;
    /** Replaces the text in the editor, which saves it; absent if the editor cannot do that. */
    write?(path: string, text: string): Promise<void>;
}
