import type { ChangeEntry, Entry } from "../../plugin/index.js";

export interface TurnOfConversation {
    /** From 1; 0 for anything before the first message. */
    readonly number: number;
    /** The message, as typed. */
    readonly question: string;
    /** Milliseconds since 1970. */
    readonly at: number;
    /** Excludes undos and drops, which belong to the turns they revert. */
    readonly changes: readonly ChangeEntry[];
    /** Changes that are not reverted. */
    readonly inEffect: readonly ChangeEntry[];
}

export function turnsOf(entries: readonly Entry[]): readonly TurnOfConversation[] {
    const undone = undoneIds(entries);
    const turns: (TurnOfConversation & { changes: ChangeEntry[]; inEffect: ChangeEntry[] })[] = [];
    const begin = (question: string, at: number, number: number) =>
        void turns.push({ number, question, at, changes: [], inEffect: [] });
    begin("", 0, 0);
    for (const entry of entries) {
        if (entry.kind === "user") begin(entry.text, entry.at, turns.length);
        if (entry.kind !== "change" || entry.undoes) continue;
        turns.at(-1)?.changes.push(entry);
        if (!undone.has(entry.id)) turns.at(-1)?.inEffect.push(entry);
    }
    return turns;
}

/** Scans backwards, because an undo may itself have been undone. */
function undoneIds(entries: readonly Entry[]): ReadonlySet<string> {
    const undone = new Set<string>();
    for (const entry of entries.toReversed()) {
        if (entry.kind !== "change" || undone.has(entry.id)) continue;
        for (const id of entry.undoes ?? []) undone.add(id);
    }
    return undone;
}
