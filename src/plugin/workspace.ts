export interface FileContent {
    /** Relative to the repository root, with `/`. */
    readonly path: string;
    readonly bytes: Uint8Array;
    /** SHA-256 of `bytes` in hex. */
    readonly hash: string;
    /** Permission bits. */
    readonly mode: number;
    /** Ignored by the repository; read only because its path was named, and not editable. */
    readonly ignored?: true;
}

/** A range of lines, and facts about the whole file. */
export interface FileLines extends Pick<FileContent, "path" | "ignored"> {
    /** The lines of the range that exist, with their line breaks. */
    readonly bytes: Uint8Array;
    /** SHA-256 of the whole file in hex. */
    readonly hash: string;
    readonly sizeBytes: number;
    /** Lines end with LF; a last line without one counts. */
    readonly totalLines: number;
}

/** The type of a path. Links are followed only inside the repository. */
export interface FileStatus {
    readonly path: string;
    readonly type: "file" | "dir";
    /** Bytes; 0 for folders. */
    readonly size: number;
    /** Milliseconds since 1970. */
    readonly modifiedAt: number;
}

export interface FolderEntry {
    readonly name: string;
    readonly type: "file" | "dir";
    /** Bytes; 0 for folders. */
    readonly size: number;
    /** The listed folder is ignored; it was named explicitly. */
    readonly ignored?: true;
}

export interface SearchOptions {
    /** Treats `query` as a regular expression in RE2 syntax (linear time) instead of plain text. */
    readonly regex?: boolean;
    /** Searches below this folder only. Excludes `file`. */
    readonly path?: string;
    /** Searches this file only. */
    readonly file?: string;
    /** 1-based and inclusive; requires `file`. */
    readonly lineRange?: { readonly start: number; readonly end: number };
    /** Lines of context before and after each match, 0 to 5. */
    readonly contextLines?: number;
    /** Maximum number of matches to return. */
    readonly limit: number;
    readonly signal?: AbortSignal;
}

/** The first match in a line. */
export interface SearchMatch {
    readonly path: string;
    /** 1-based. */
    readonly line: number;
    /** 1-based, in characters (code points). */
    readonly column: number;
    /** The line, truncated around the match if long. */
    readonly preview: string;
    readonly context?: {
        readonly before: readonly string[];
        readonly after: readonly string[];
    };
}

/** Matches sorted by path and line. */
export interface SearchResult {
    readonly matches: readonly SearchMatch[];
    /** More matches exist than were returned. */
    readonly truncated: boolean;
    /** The number of matching lines, if known. */
    readonly total?: number;
    /** The searched file or folder is ignored; it was named explicitly. */
    readonly ignored?: true;
}

/** Files that match a glob, sorted. */
export interface FindResult {
    readonly files: readonly string[];
    readonly truncated: boolean;
    readonly total?: number;
}

/** How often a file changed recently, from version history. */
export interface FileActivity {
    readonly path: string;
    readonly commits: number;
    readonly linesChanged: number;
}

/**
 * Read access to the repository. Paths may be relative to the root or absolute inside it; results
 * are relative, with `/`. Nothing outside the root can be read. Ignored files can be read if named
 * and in a dependency or build folder; other ignored files, and secret files, only with the user's
 * consent. `..`, links that lead outside, device files, FIFOs, and folders in place of files reject
 * with an `ExpectedError` (`outside-repository`, `not-found`, `ignored`, `not-a-file`,
 * `not-a-folder`, `secret-file`, `too-large`).
 */
export interface Workspace {
    /** The absolute, real path of the root. */
    readonly root: string;
    /**
     * The path relative to the root. `/a` and `repository-name/a` mean `a` if only that exists.
     * Rejects paths that lexically lead outside.
     */
    relative(path: string): string;
    /** The type of a path; `null` if nothing exists there. */
    status(path: string): Promise<FileStatus | null>;
    /** Reads a whole file, up to 10 MB by default. */
    read(path: string, options?: { readonly maxBytes?: number }): Promise<FileContent>;
    /** Lines of a file of any size, 1-based, inclusive. Rejects with `binary-file`, even for UTF-16. */
    readLines(
        path: string,
        range: { readonly start: number; readonly end: number },
        options?: { readonly signal?: AbortSignal }
    ): Promise<FileLines>;
    /** A folder's entries without ignored ones, folders first, then by name. */
    list(path: string): Promise<readonly FolderEntry[]>;
    /** All files that are not ignored, sorted by path. */
    files(options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;
    /** The sizes of these files in bytes, without missing files and links. */
    sizes(
        paths: readonly string[],
        options?: { readonly signal?: AbortSignal }
    ): Promise<ReadonlyMap<string, number>>;
    /**
     * An opaque version for each of these files that exists, except links. If it differs from an
     * earlier one, the file may have changed; if it is equal, the file has not.
     */
    versions(
        paths: readonly string[],
        options?: { readonly signal?: AbortSignal }
    ): Promise<ReadonlyMap<string, string>>;
    /** Finds files by glob, ignoring case. A pattern without `/` matches in any folder. */
    find(
        pattern: string,
        options: { readonly limit: number; readonly signal?: AbortSignal }
    ): Promise<FindResult>;
    /** Rejects with `invalid-pattern` and the position of the error in a regular expression. */
    search(query: string, options: SearchOptions): Promise<SearchResult>;
    /** Recent git activity, most active first; `null` without git history. */
    activity(options?: { readonly signal?: AbortSignal }): Promise<readonly FileActivity[] | null>;
    /** Whether the ignore rules exclude a path. */
    isIgnored(path: string, type: "file" | "dir"): Promise<boolean>;
}
