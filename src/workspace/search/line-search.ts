/** A search; plain data, because it is posted to a worker. */
export interface LineSearch {
    readonly query: string;
    readonly isRegex: boolean;
    readonly root: string;
    /** Relative to the root, or absolute, in the order of the results. */
    readonly files: readonly string[];
    /** If set, read this instead of opening the only file in `files`. */
    readonly descriptor?: number;
    /** 1-based and inclusive. */
    readonly lineRange?: { readonly start: number; readonly end: number };
    readonly limit: number;
}

export interface FoundLine {
    readonly path: string;
    /** 1-based. */
    readonly line: number;
    /** Offset of the line in bytes, excluding the byte order mark. */
    readonly offset: number;
    /** Offset of the first match in bytes, without byte order mark; at most the line's end. */
    readonly start: number;
}

export interface FoundLines {
    readonly found: readonly FoundLine[];
    readonly total: number;
}

export interface SearchBounds {
    readonly limitMs: number;
    readonly signal?: AbortSignal;
}

export function isInRange(line: number, { lineRange }: LineSearch): boolean {
    return lineRange === undefined || (line >= lineRange.start && line <= lineRange.end);
}
