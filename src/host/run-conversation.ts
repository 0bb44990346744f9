import { NorthError } from "../base/north-error.js";
import type { ConversationRun } from "./session/open-session.js";

/** Opens the project and the conversation, runs it and closes both. Resolves with the exit code. */
export async function runConversation(run: ConversationRun): Promise<number> {
    if (run.flags.print) {
        const { printConversation } = await import("./print-conversation.js");
        return printConversation(run);
    }
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
        throw new NorthError("not-a-terminal", "The chat needs a terminal.", [
            `Use print mode instead: \`north ${run.resume ? `resume ${run.resume} ` : ""}-p "your question"\`.`,
        ]);
    }
    const { chatConversation } = await import("./chat-conversation.js");
    return chatConversation(run);
}
