import type { ConversationInfo } from "../../plugin/index.js";
import { firstWords } from "../../base/format.js";
import type { AssistantEntry, Entry, JournalRecord, NestedOrigin } from "../../plugin/records.js";

/** The root is empty if the log's first record is lost, the first words until there is a message. */
export interface ConversationSummary extends ConversationInfo {
    /** Milliseconds since 1970, like `updatedAt`. */
    readonly startedAt: number;
    /** The conversation this one was forked from; its messages and costs are not included here. */
    readonly forkOf?: string;
    readonly nested?: NestedOrigin;
}

/** A summary that later records can be folded into. */
export interface SummaryProgress {
    readonly summary: ConversationSummary;
    /** The price of the last reply: an update of that reply replaces it. */
    readonly lastReply?: { readonly id: string; readonly costUsd: number };
}

export const EMPTY_SUMMARY: Omit<ConversationSummary, "id"> = {
    root: "",
    provider: "",
    model: "",
    startedAt: 0,
    updatedAt: 0,
    firstWords: "",
    messageCount: 0,
    costUsd: 0,
    unpricedRequests: 0,
};

export function addRecord(progress: SummaryProgress, record: JournalRecord): SummaryProgress {
    switch (record.type) {
        case "conversation_started":
            return change(progress, record.at, {
                root: record.root,
                provider: record.provider,
                model: record.model,
                startedAt: record.at,
                ...(record.forkedFrom && { forkOf: record.forkedFrom.id }),
                ...(record.nested && { nested: record.nested }),
            });
        case "conversation_named":
            return change(progress, record.at, { name: record.name });
        case "model_changed":
            return change(progress, record.at, { provider: record.provider, model: record.model });
        case "entry_added":
            return addEntry(progress, record.entry);
        case "entry_updated":
            return addReply(progress, record.id, record.changes ?? {});
        case "change_begun":
        case "change_dropped":
            return progress;
        case "root_changed":
            return change(progress, record.at, { root: record.root });
        case "request_billed":
            return addCost(change(progress, record.at, {}), record);
        case "thinking_changed":
        case "rolling_summary_set":
        case "conversation_ended":
            return change(progress, record.at, {});
        default:
            return record satisfies never;
    }
}

function change(
    { summary, lastReply }: SummaryProgress,
    at: number,
    changes: Partial<ConversationSummary>
): SummaryProgress {
    const startedAt = summary.startedAt || at;
    const updatedAt = Math.max(summary.updatedAt, at);
    return { summary: { ...summary, startedAt, updatedAt, ...changes }, lastReply };
}

function addEntry(progress: SummaryProgress, entry: Entry): SummaryProgress {
    if (entry.kind !== "user" && entry.kind !== "assistant") return change(progress, entry.at, {});
    const { firstWords: known, messageCount } = progress.summary;
    const next = change(progress, entry.at, {
        messageCount: messageCount + 1,
        firstWords: known || (entry.kind === "user" ? firstWords(entry.text) : ""),
    });
    return entry.kind === "assistant" ? addReply(next, entry.id, entry) : next;
}

/** The tokens of a reply are known, and what they cost is not. */
export function isUnpriced({ usage, costUsd }: Pick<AssistantEntry, "usage" | "costUsd">): boolean {
    return usage !== undefined && costUsd === undefined;
}

function addReply(
    progress: SummaryProgress,
    id: string,
    reply: Pick<AssistantEntry, "usage" | "costUsd">
): SummaryProgress {
    const { costUsd } = reply;
    if (costUsd === undefined) return addCost(progress, reply);
    const replaced = progress.lastReply?.id === id ? progress.lastReply.costUsd : 0;
    return { ...addCost(progress, reply, replaced), lastReply: { id, costUsd } };
}

function addCost(
    { summary, lastReply }: SummaryProgress,
    request: Pick<AssistantEntry, "usage" | "costUsd">,
    replaced = 0
): SummaryProgress {
    const unpricedRequests = summary.unpricedRequests + (isUnpriced(request) ? 1 : 0);
    // Rounded: the difference of two prices is not exact in binary.
    const total = Math.round((summary.costUsd - replaced + (request.costUsd ?? 0)) * 1e9) / 1e9;
    return { summary: { ...summary, unpricedRequests, costUsd: total }, lastReply };
}
