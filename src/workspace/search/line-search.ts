/** A search. It is sent to a worker, so it holds only data. */
export interface LineSearch {
    readonly query: string;
    readonly isRegex: boolean;
    readonly root: string;
    /** Relative to the root, in the order of the answer. */
    readonly files: readonly string[];
    /** Read instead of opening the one file of `files`. */
    readonly descriptor?: number;
    /** 1-based and inclusive. */
    readonly lineRange?: { readonly start: number; readonly end: number };
    readonly limit: number;
}

export interface FoundLine {
    readonly path: string;
    /** 1-based. */
    readonly line: number;
    /** Where it begins, in bytes after a byte order mark. */
    readonly offset: number;
    /** Where the first match begins, in bytes after a byte order mark; at the end if beyond it. */
    readonly start: number;
}

export interface FoundLines {
    readonly found: readonly FoundLine[];
    /** Number of all matching lines. */
    readonly total: number;
}

export interface SearchBounds {
    readonly limitMs: number;
    readonly signal?: AbortSignal;
}

export function isInRange(line: number, { lineRange }: LineSearch): boolean {
    return lineRange === undefined || (line >= lineRange.start && line <= lineRange.end);
}
