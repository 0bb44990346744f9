import type { Conversation } from "../../core/conversation/fold.js";
import type { Entry } from "../../plugin/records.js";

/** A conversation as it is exported to JSON. */
export interface ExportedConversation {
    readonly version: 1;
    readonly id: string;
    readonly root: string;
    readonly provider: string;
    readonly model: string;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
    /** US dollars; replies of unknown price are not in it. */
    readonly costUsd: number;
    readonly entries: readonly Entry[];
}

export function exportedConversation(conversation: Conversation): ExportedConversation {
    const { id, root, provider, model, startedAt, entries } = conversation;
    const costs = entries.map((entry) => (entry.kind === "assistant" ? (entry.costUsd ?? 0) : 0));
    const costUsd = costs.reduce((sum, cost) => sum + cost, 0);
    return { version: 1, id, root, provider, model, startedAt, costUsd, entries: [...entries] };
}
