import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { SessionOptions } from "./session-parts.js";

/** Ends everything, whatever fails at that. */
export async function closeSession(
    { project, edges }: SessionOptions,
    conversation: ConversationLog
): Promise<void> {
    const endings = await Promise.allSettled([
        conversation.close(edges.now()),
        project.shell.dispose(),
        project.contained.dispose(),
        project.ledger.summarize(),
        project.context.close(),
    ]);
    for (const ending of endings) {
        if (ending.status === "rejected") {
            project.log.event("error", "close_failed", { error: String(ending.reason) });
        }
    }
    project.log.event("info", "app_exit");
}
