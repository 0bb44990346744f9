import path from "node:path";
import { formatCosts, localMinute } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { canAsk, pickInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { Option } from "../../plugin/index.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { listConversations } from "./conversation-list.js";

/** `undefined` if none was chosen. Rejects with `not-a-terminal` or `no-such-conversation`. */
export async function pickConversation(dataFolder: string): Promise<string | undefined> {
    if (!canAsk()) {
        throw new NorthError("not-a-terminal", "Choosing a conversation needs a terminal.", [
            "Name one: `north resume ID`; `north conversations` lists them.",
            "`north resume --last` resumes the newest of this repository.",
        ]);
    }
    const summaries = await listConversations(dataFolder);
    if (summaries.length === 0) {
        throw new NorthError("no-such-conversation", "There are no conversations yet.", [
            "`north` starts one.",
        ]);
    }
    return pickInTerminal("Resume which conversation?", summaries.map(conversationOption));
}

/** A narrow terminal cuts the end of a row, so what tells conversations apart comes first. */
export function conversationOption(summary: ConversationSummary): Option {
    const { id, root, model, updatedAt, costUsd, unpricedRequests } = summary;
    const words = summary.name || summary.firstWords || "(nothing said)";
    const name = path.basename(root) || root;
    return {
        value: id,
        label: `${localMinute(updatedAt)}  ${name}: ${words}`,
        description: `${id}, ${model}, ${formatCosts(costUsd, unpricedRequests)}`,
    };
}
