import { NorthError } from "../../base/north-error.js";
import { claimLock } from "../files/file-lock.js";

/** The right to append to a conversation. */
export interface Hold {
    release(): Promise<void>;
}

/**
 * Makes this process the only one that appends to the conversation, for as long as it lives. Rejects
 * with `conversation-in-use` while a living process, this one included, holds it.
 */
export async function holdConversation(logFile: string, id: string): Promise<Hold> {
    const claim = await claimLock(logFile.replace(/\.jsonl$/, ".holder"));
    if (claim.kind === "held") {
        // One that stays behind is worth nothing once this process has ended.
        return { release: async () => claim.release() };
    }
    const isOwn = claim.process === process.pid;
    const where = isOwn ? "this North" : `another North (process ${claim.process})`;
    throw new NorthError("conversation-in-use", `Conversation ${id} is open in ${where}.`, [
        "Leave it there first, or start a new conversation.",
    ]);
}

/** Does `work` while nobody may begin to append, if nobody does; else like `holdConversation`. */
export async function withFreeConversation(
    logFile: string,
    id: string,
    work: () => Promise<void>
): Promise<void> {
    const hold = await holdConversation(logFile, id);
    try {
        await work();
    } finally {
        await hold.release();
    }
}
