/** One file before and after. Contents are bytes: nothing is decoded on the way to the disk. */
export interface FileChange {
    /** Relative to the repository root, with `/`. */
    readonly path: string;
    /** The content the change was computed from; `null` where there is no file. */
    readonly before: Uint8Array | null;
    /** SHA-256 of `before` in hex; `null` where there is no file. Checked again before writing. */
    readonly beforeHash: string | null;
    /** The content to write; `null` deletes the file. */
    readonly after: Uint8Array | null;
    /** A file if absent. The content of a link is its target; a folder has none. */
    readonly type?: "link" | "folder";
    /** Git ignores it, as a build's product: it is counted rather than shown. */
    readonly isIgnored?: boolean;
    /** Permission bits of the result; the file's own (or the default for a new file) if absent. */
    readonly mode?: number;
}

/**
 * Everything one write tool wants to change. It is reviewed as a whole and applied byte for byte as
 * reviewed, or not at all. At most one change a path.
 */
export interface ChangeSet {
    readonly changes: readonly FileChange[];
}

/** Something that is wrong with a proposed change, or worth knowing. */
export interface Finding {
    /** Relative to the root. */
    readonly path: string;
    /** 1-based, in the file as it would become. */
    readonly line?: number;
    readonly severity: "error" | "warning" | "info";
    /** One line. */
    readonly text: string;
    /** The change is refused: nobody is asked, and the model reads why. */
    readonly refuses?: boolean;
}

/** As a person and a model read it. */
export function findingLine({ path, line, severity, text }: Finding): string {
    return `${path}${line === undefined ? "" : `:${line}`}: ${severity}: ${text}`;
}
