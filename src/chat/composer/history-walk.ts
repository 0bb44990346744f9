/** Up and Down through earlier inputs; the draft waits below the newest. A value. */
export interface HistoryWalk {
    /** Oldest first. */
    readonly entries: readonly string[];
    /** `entries.length` is the draft. */
    readonly index: number;
    readonly draft: string;
}

/** At the draft, before any step. */
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
