import { Conversation } from "../../core/conversation/fold.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";

/** A conversation that is only looked at; it may be open elsewhere. Rejects like `read`. */
export async function storedConversation(
    dataFolder: string,
    id: string
): Promise<{ readonly conversation: Conversation; readonly warnings: readonly string[] }> {
    const { records, warnings } = await createConversationStore(dataFolder).read(id);
    const conversation = new Conversation();
    for (const record of records) conversation.apply(record);
    conversation.closeOpenCalls();
    return { conversation, warnings };
}
