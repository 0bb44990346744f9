/**
 * Streamed files of one conversation that are not applied yet, stored outside the repository.
 * Appended text survives a kill. Paths are relative to the root, with `/`. Throws `disk-full` and
 * `not-writable`.
 */
export interface Staging {
    /** Starts a text and discards an earlier one under this path. */
    begin(path: string): void;
    append(path: string, text: string): void;
    /** The text so far; `undefined` if nothing is staged. */
    read(path: string): string | undefined;
    remove(path: string): void;
    /** Sorted paths of the staged texts. */
    paths(): readonly string[];
    /** The absolute path of a text, for the user. */
    place(path: string): string;
}

/** For runs that nothing outlives. */
export function memoryStaging(): Staging {
    const texts = new Map<string, string>();
    return {
        begin: (path) => void texts.set(path, ""),
        append: (path, text) => void texts.set(path, (texts.get(path) ?? "") + text),
        read: (path) => texts.get(path),
        remove: (path) => void texts.delete(path),
        paths: () => [...texts.keys()].sort(),
        place: (path) => path,
    };
}
