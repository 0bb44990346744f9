import path from "node:path";
import { formatUsd, localMinute } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { canAsk, pickInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { listConversations, titleOf } from "./conversation-list.js";

/** Approximate width of a row besides the first words. */
const ROW_BESIDE = 75;

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
    const width = Math.max(20, process.stdout.columns - ROW_BESIDE);
    const options = summaries.map((summary) => optionOf(summary, width));
    return pickInTerminal("Resume which conversation?", options);
}

function optionOf(summary: ConversationSummary, width: number) {
    const { id, root, model, updatedAt, costUsd } = summary;
    const words = [...(titleOf(summary) || "(nothing said)")].slice(0, width).join("");
    const name = path.basename(root) || root;
    return {
        value: id,
        label: `${localMinute(updatedAt)}  ${name}: ${words}`,
        description: `${id}, ${model}, ${formatUsd(costUsd)}`,
    };
}
