import type { Conversation } from "../../core/conversation/fold.js";
import { sumUsd } from "../../base/money.js";
import type { ProjectStores } from "../open-stores.js";

/**
 * What the turns since an entry have cost in US dollars: replies, summaries and nested runs. `null`
 * if a price is unknown. A fork counts what it inherits from the log, which has replies only.
 */
export async function costOfTurns(
    { ledger, conversations }: Pick<ProjectStores, "ledger" | "conversations">,
    { id, entries, inheritedEntries }: Pick<Conversation, "id" | "entries" | "inheritedEntries">,
    from: number
): Promise<number | null> {
    const begin = Math.max(from, inheritedEntries);
    const replies = entries
        .slice(from, begin)
        .flatMap((entry) => (entry.kind === "assistant" && entry.usage ? entry : []));
    const nested = await conversations.nestedRuns(id);
    const rows = await ledger.query({
        by: "model",
        since: entries[begin]?.at ?? 0,
        conversationIds: [id, ...nested.map((run) => run.id)],
    });
    const isPriced =
        replies.every(({ costUsd }) => costUsd !== undefined) &&
        rows.every(({ unpricedRequests }) => unpricedRequests === 0);
    const costs = [...replies, ...rows].map(({ costUsd = 0 }) => costUsd);
    return isPriced ? sumUsd(costs) : null;
}
