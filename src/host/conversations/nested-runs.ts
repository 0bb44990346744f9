import { counted, formatCosts } from "../../base/format.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import {
    type ExportedConversation,
    exportedWithSettings,
    storedConversation,
} from "./exported-conversation.js";

/** Nested runs of all conversations and of `north learn`, newest first. */
export async function listNestedRuns(dataFolder: string): Promise<readonly ConversationSummary[]> {
    return (await createConversationStore(dataFolder).nestedRuns()).toReversed();
}

/** A conversation with its nested runs, and the lines before and after its transcript. */
export async function conversationTree({ data, config }: NorthDirectories, id: string) {
    const { conversation, warnings } = await storedConversation(data, id);
    const summaries = await createConversationStore(data).nestedRuns(id);
    const runs: ExportedConversation[] = [];
    const all = [...warnings];
    for (const run of summaries) {
        const stored = await storedConversation(data, run.id);
        runs.push(await exportedWithSettings(stored.conversation, config));
        all.push(...stored.warnings);
    }
    const { nested } = conversation;
    return {
        conversation,
        exported: { ...(await exportedWithSettings(conversation, config)), runs },
        warnings: all,
        before: nested ? [`A nested run: ${originOf(nested)}`, ""] : [],
        after: summaries.length > 0 ? ["", id, ...summaries.map(branchOf)] : [],
    };
}

/** `explore in 3fa2c1`, or `learn` */
export function originOf({ by, parent }: NonNullable<ConversationSummary["nested"]>): string {
    return parent === undefined ? by : `${by} in ${parent}`;
}

/** `├─ 4ab2c1  explore: where is retry decided · 6 messages · $0.01` */
function branchOf(
    { id, nested, firstWords, messageCount, costUsd, unpricedRequests }: ConversationSummary,
    index: number,
    { length }: readonly unknown[]
): string {
    const facts = `${counted(messageCount, "message")} · ${formatCosts(costUsd, unpricedRequests)}`;
    return `${index === length - 1 ? "└─" : "├─"} ${id}  ${nested?.by}: ${firstWords} · ${facts}`;
}
