import { replyTexts } from "../../conversation/reply-messages.js";
import type { Entry } from "../../../plugin/index.js";
import { UnfinishedFiles } from "../../files/notes.js";
import { reminder } from "../../message/reminder.js";
import type { Turn } from "../turn.js";
import { Totals } from "./limits.js";
import { note } from "./settle-files.js";

export function lastMessage(entries: readonly Entry[]) {
    const from = entries.findLastIndex(({ kind }) => kind === "user");
    const entry = entries[from];
    if (entry?.kind !== "user") throw new Error("There is no turn to continue.");
    return { entry, from };
}

/** What the entries of a turn have used; nothing for a new one. */
export function totalsOf(entries: readonly Entry[]): Totals {
    const totals = new Totals();
    for (const entry of entries) {
        if (entry.kind !== "assistant") continue;
        totals.requests += 1;
        totals.text = replyTexts(entry).join("\n") || totals.text;
        if (entry.usage) totals.count(entry.usage, entry.costUsd ?? null);
    }
    return totals;
}

/**
 * The answer of an interrupted turn, if nothing but its end was missing. Otherwise the next request
 * continues it; where that would end with a reply of the model, which vendors refuse, the model is
 * asked to.
 */
export function interruptedAnswer(turn: Turn, from: number): string | undefined {
    const { state } = turn.conversation;
    state.closeOpenCalls();
    const last = state.entries.slice(from).findLast(({ kind }) => kind === "assistant");
    if (state.messages.at(-1)?.role !== "assistant" || last?.kind !== "assistant") return undefined;
    // A retry replaces the one; a vendor continues the other.
    if (last.status === "interrupted" || last.stopReason === "paused") return undefined;
    const unfinished = new UnfinishedFiles().notes(turn.staging);
    const hasEnded = last.status === "complete" && last.stopReason === "end";
    if (hasEnded && unfinished.length === 0) return replyTexts(last).join("\n");
    note(turn, reminder(["You were interrupted. Continue.", ...unfinished].join("\n\n")));
    return undefined;
}
