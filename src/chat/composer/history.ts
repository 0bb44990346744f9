/** A position in the input history; the draft comes after the newest entry. Immutable. */
export interface HistoryWalk {
    /** Oldest first. */
    readonly entries: readonly string[];
    readonly index: number;
    readonly draft: string;
}

export function startWalk(entries: readonly string[]): HistoryWalk {
    return { entries, index: entries.length, draft: "" };
}

/** One step; `undefined` at either end. */
export function step(
    walk: HistoryWalk,
    direction: "older" | "newer",
    current: string
): { readonly walk: HistoryWalk; readonly text: string } | undefined {
    const index = walk.index + (direction === "older" ? -1 : 1);
    if (index < 0 || index > walk.entries.length) return undefined;
    const draft = walk.index === walk.entries.length ? current : walk.draft;
    return { walk: { ...walk, index, draft }, text: walk.entries[index] ?? draft };
}

export interface HistorySearch {
    readonly query: string;
    readonly found: number | undefined;
    readonly draft: string;
}

/** The newest input at or before `from` that contains the query, ignoring case. */
export function searchHistory(
    entries: readonly string[],
    search: Pick<HistorySearch, "query" | "draft">,
    from: number
): HistorySearch {
    const wanted = search.query.toLowerCase();
    const found =
        wanted === ""
            ? -1
            : entries.findLastIndex(
                  (entry, index) => index <= from && entry.toLowerCase().includes(wanted)
              );
    return { ...search, found: found < 0 ? undefined : found };
}
