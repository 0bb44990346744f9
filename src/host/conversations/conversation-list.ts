import { formatUsd, localMinute } from "../../base/format.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { table } from "../table.js";

/** The conversations of all projects, newest first. */
export async function listConversations(
    dataFolder: string
): Promise<readonly ConversationSummary[]> {
    return createConversationStore(dataFolder).list();
}

export function conversationTable(summaries: readonly ConversationSummary[]): string {
    if (summaries.length === 0) return "There are no conversations yet. `north` begins one.";
    return table(
        [
            { heading: "ID" },
            { heading: "Last used" },
            { heading: "Messages", align: "right" },
            { heading: "Cost", align: "right" },
            { heading: "Project" },
            { heading: "First words" },
        ],
        summaries.map((summary) => [
            summary.id,
            localMinute(summary.updatedAt),
            String(summary.messageCount),
            formatUsd(summary.costUsd),
            summary.root,
            summary.firstWords.slice(0, 50),
        ])
    );
}

/** A conversation in a few words. Rejects with `no-such-conversation`. */
export async function describeConversation(dataFolder: string, id: string): Promise<string> {
    const store = createConversationStore(dataFolder);
    const summary = (await store.list()).find((known) => known.id === id);
    // Reading knows how to say what ids there are, and takes logs that a list leaves out.
    if (!summary) await store.read(id);
    return summary?.firstWords ? `${id} ("${summary.firstWords}")` : id;
}

/** Rejects with `no-such-conversation` or `conversation-in-use`. */
export async function deleteConversation(dataFolder: string, id: string): Promise<void> {
    await createConversationStore(dataFolder).remove(id);
}
