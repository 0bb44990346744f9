/** Looking for an earlier input by a part of it. A value. */
export interface HistorySearch {
    readonly query: string;
    /** Index of the input found; `undefined` when none has the query. */
    readonly found: number | undefined;
    /** What was being typed before. */
    readonly draft: string;
}

/** The newest input at or before `from` that contains the query, whatever its case. */
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
