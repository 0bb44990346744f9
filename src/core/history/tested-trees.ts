import type { JournalRecord } from "../../plugin/index.js";

/** A check that North ran on exactly the files of a commit. */
export interface CheckOnTree {
    readonly command: string;
    readonly exitCode: number;
}

/** Prefixes of log lines that tell of no check, and make up most of a log. */
export const LINES_WITHOUT_CHECKS = [
    '{"type":"entry_updated"',
    '{"type":"entry_added","entry":{"kind":"assistant"',
    '{"type":"change_begun"',
];

/** The last result of each check on a tree, by name. `records` are of all conversations. */
export function checksOnTree(
    records: readonly JournalRecord[],
    tree: string
): readonly CheckOnTree[] {
    const results = new Map<string, { readonly at: number; readonly exitCode: number }>();
    for (const record of records) {
        if (record.type !== "entry_added" || record.entry.kind !== "tool_result") continue;
        const { at, tested } = record.entry;
        if (tested?.tree !== tree) continue;
        for (const name of tested.checks) {
            if (at >= (results.get(name)?.at ?? 0)) {
                results.set(name, { at, exitCode: tested.exitCode });
            }
        }
    }
    return [...results]
        .map(([command, { exitCode }]) => ({ command, exitCode }))
        .sort((one, other) => (one.command < other.command ? -1 : 1));
}
