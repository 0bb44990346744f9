/** A file's bytes and what identifies them. */
export interface FileContent {
    /** Relative to the repository root, with `/`. */
    readonly path: string;
    readonly bytes: Uint8Array;
    /** SHA-256 of `bytes` in hex. */
    readonly hash: string;
    /** Permission bits. */
    readonly mode: number;
}

/** What a path is, without following a symbolic link at its end out of the repository. */
export interface FileStatus {
    readonly path: string;
    readonly type: "file" | "dir";
    /** Bytes; 0 for folders. */
    readonly size: number;
    /** Milliseconds since 1970. */
    readonly modifiedAt: number;
}

/** An entry of a folder. */
export interface FolderEntry {
    readonly name: string;
    readonly type: "file" | "dir";
    /** Bytes; 0 for folders. */
    readonly size: number;
}

/** How to search. */
export interface SearchOptions {
    /** `query` is a regular expression in RE2 syntax (linear time), else plain text. */
    readonly regex?: boolean;
    /** Search below this folder only. Excludes `file`. */
    readonly path?: string;
    /** Search this file only. */
    readonly file?: string;
    /** 1-based and inclusive; needs `file`. */
    readonly lineRange?: { readonly start: number; readonly end: number };
    /** Lines of context before and after each match, 0 to 5. */
    readonly contextLines?: number;
    /** Most matches to return. */
    readonly limit: number;
    readonly signal?: AbortSignal;
}

/** One matching line; the first match in it. */
export interface SearchMatch {
    readonly path: string;
    /** 1-based. */
    readonly line: number;
    /** 1-based, in characters (code points). */
    readonly column: number;
    /** The line, cut around the match where it is long. */
    readonly preview: string;
    readonly context?: {
        readonly before: readonly string[];
        readonly after: readonly string[];
    };
}

/** Matches sorted by path and line. */
export interface SearchResult {
    readonly matches: readonly SearchMatch[];
    /** There are more matches than were returned. */
    readonly truncated: boolean;
    /** How many matching lines there are, where that is known. */
    readonly total?: number;
}

/** Files that match a glob, sorted. */
export interface FindResult {
    readonly files: readonly string[];
    readonly truncated: boolean;
    readonly total?: number;
}

/** How often a file changed lately, from the version history. */
export interface FileActivity {
    readonly path: string;
    readonly commits: number;
    readonly linesChanged: number;
}

/**
 * The repository as a tool may see it. Every path may be relative to the root or absolute inside
 * it; every answer is relative with `/`. Nothing outside the root, nothing ignored and, unless the
 * user allows it when asked, nothing that looks like a secret can be read through it; `..`, links
 * that lead out, device files, FIFOs and folders in place of files reject with an
 * `ExpectedError` (`outside-repository`, `not-found`, `ignored`, `not-a-file`, `not-a-folder`,
 * `secret-file`, `too-large`).
 */
export interface Workspace {
    /** The absolute, real path of the repository root. */
    readonly root: string;
    /**
     * The relative form of a path; `/a` and `repository-name/a` are `a` where only that exists. Rejects
     * what leads outside by its text.
     */
    relative(path: string): string;
    /** What is at a path; `null` if nothing is. */
    status(path: string): Promise<FileStatus | null>;
    /** A file's whole content, up to 10 MB unless told otherwise. */
    read(path: string, options?: { readonly maxBytes?: number }): Promise<FileContent>;
    /** A folder's entries without the ignored ones; folders first, then by name. */
    list(path: string): Promise<readonly FolderEntry[]>;
    /** Every file that is not ignored, sorted by path. */
    files(options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;
    /** Files by glob, case-insensitive; a pattern without `/` matches in any folder. */
    find(
        pattern: string,
        options: { readonly limit: number; readonly signal?: AbortSignal }
    ): Promise<FindResult>;
    /** Text search. Rejects with `invalid-pattern`, saying where, for a bad regular expression. */
    search(query: string, options: SearchOptions): Promise<SearchResult>;
    /** Recent activity from git, most active first; `null` where there is no history. */
    activity(options?: { readonly signal?: AbortSignal }): Promise<readonly FileActivity[] | null>;
    /** The path and its ignored state by the one ignore list. */
    isIgnored(path: string, type: "file" | "dir"): Promise<boolean>;
}
