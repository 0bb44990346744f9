import type { ChangeEntry, DraftedEntry, Entry, UserEntry } from "../../plugin/index.js";
import { isEdit } from "../draft/open-draft.js";

/** One turn of a log. What comes before the first message counts as turn 0. */
export interface ConversationTurn {
    /** From 1; 0 for anything before the first message. */
    readonly number: number;
    readonly message?: UserEntry;
    /** The message, as typed. */
    readonly question: string;
    /** Milliseconds since 1970. */
    readonly at: number;
    /** What follows the message. */
    readonly entries: readonly Entry[];
    /** Excludes undos, drops and applied drafts, which belong to the turns they revert or apply. */
    readonly changes: readonly ChangeEntry[];
    /** Changes and applied drafts that are not reverted. */
    readonly inEffect: readonly ChangeEntry[];
    /** Without what was undone or rebased onto a changed project. */
    readonly drafted: readonly DraftedEntry[];
}

export function turnsOf(entries: readonly Entry[]): readonly ConversationTurn[] {
    const undone = undoneIds(entries);
    const starts = entries.flatMap(({ kind }, index) => (kind === "user" ? index : []));
    return [-1, ...starts].map((start, number) => {
        const message = entries[start];
        const own = entries.slice(start + 1, starts[number]);
        const isMade = (entry: Entry) => entry.kind === "change" && !entry.undoes;
        const made = own.filter((entry): entry is ChangeEntry => isMade(entry));
        return {
            number,
            ...(message?.kind === "user"
                ? { message, question: message.text, at: message.at }
                : { question: "", at: 0 }),
            entries: own,
            changes: made.filter(({ applies }) => applies === undefined),
            inEffect: made.filter(({ id }) => !undone.has(id)),
            drafted: own.flatMap((entry) =>
                entry.kind === "drafted" && !entry.undoes && !entry.isRebase ? entry : []
            ),
        };
    });
}

/**
 * The changes of the project and of drafts that are undone. Scans backwards, because an undo
 * may itself have been undone.
 */
export function undoneIds(entries: readonly Entry[]): ReadonlySet<string> {
    const undone = new Set<string>();
    for (const entry of entries.toReversed()) {
        if (!isEdit(entry) || undone.has(entry.id)) continue;
        for (const id of entry.undoes ?? []) undone.add(id);
    }
    return undone;
}
