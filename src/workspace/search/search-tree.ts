import type { SearchMatch, SearchResult } from "../../plugin/workspace.js";
import { isExpectedError } from "../../base/north-error.js";
import { openRegularFile } from "../open-file.js";
import { Pacer } from "../pacer.js";
import { countWithJavaScript } from "./count-javascript.js";
import { countWithRipgrep } from "./count-ripgrep.js";
import { searchFile } from "./search-file.js";
import type { SearchPattern } from "./search-pattern.js";

/** A search through many files. */
export interface TreeSearch {
    readonly root: string;
    readonly pattern: SearchPattern;
    /** Relative to the root; `""` for all of it. */
    readonly folder: string;
    /** The files below the folder, sorted. */
    readonly files: readonly string[];
    /** Whether a file's content may be looked at. */
    readonly isAllowed: (path: string) => boolean;
    readonly ignored: readonly string[];
    readonly contextLines: number;
    readonly limit: number;
    readonly useRipgrep: boolean;
    readonly signal?: AbortSignal;
}

/** How long a search may take. */
export const SEARCH_LIMIT_MS = 30_000;

/**
 * First the matching lines of each file are counted, which is all that either engine does; then
 * the matches to be shown are looked up in the first files by path. So the number of matches is
 * known however many there are, and both engines give the same answers.
 */
export async function searchTree(search: TreeSearch): Promise<SearchResult> {
    const { limit, signal } = search;
    const pacer = new Pacer("The search", SEARCH_LIMIT_MS, signal);
    const counts = await countMatches(search, pacer);
    // Ripgrep also finds what it could not be told to leave out. Few files match: asking them is cheap.
    const matching = search.files.filter((file) => counts.has(file) && search.isAllowed(file));
    const total = matching.reduce((sum, file) => sum + (counts.get(file) ?? 0), 0);
    const matches: SearchMatch[] = [];
    for (const file of matching) {
        if (matches.length >= limit) break;

        matches.push(...(await matchesIn(file, limit - matches.length, search, pacer)));
    }
    return { matches, truncated: matches.length < total, total };
}

async function countMatches(
    search: TreeSearch,
    pacer: Pacer
): Promise<ReadonlyMap<string, number>> {
    const counts = search.useRipgrep
        ? await countWithRipgrep(search.pattern, { ...search, limitMs: SEARCH_LIMIT_MS })
        : undefined;
    return (
        counts ??
        countWithJavaScript(
            search.root,
            search.files.filter(search.isAllowed),
            search.pattern,
            pacer
        )
    );
}

async function matchesIn(
    path: string,
    limit: number,
    search: TreeSearch,
    pacer: Pacer
): Promise<readonly SearchMatch[]> {
    const file = await openRegularFile(search.root, path).catch((error: unknown) => {
        // It went away, or became something else, since it was counted.
        if (isExpectedError(error)) return undefined;

        throw error;
    });
    if (file === undefined) return [];

    try {
        const { pattern, contextLines } = search;
        const found = await searchFile(
            file,
            { pattern, contextLines, limit, countAll: false },
            pacer
        );
        return found.matches;
    } finally {
        await file.handle.close();
    }
}
