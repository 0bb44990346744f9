import { rm } from "node:fs/promises";
import { NorthError } from "../plugin/north-error.js";
import { writeFileAtomically } from "./atomic-file.js";
import { withLock } from "./file-lock.js";
import { formatJson, readJson } from "./json-file.js";
import { isProcessAlive, processStart } from "./process-identity.js";

/** The right to append to a conversation. */
export interface Hold {
    release(): Promise<void>;
}

// A lock that has to be refreshed would be lost while the terminal has North stopped (Ctrl+Z) or
// the machine sleeps. So the holder is written down, and it holds for as long as it lives.

/**
 * Makes this process the only one that appends to the conversation. Rejects with
 * `conversation-in-use` while a living process, this one included, holds it.
 */
export async function holdConversation(logFile: string, id: string): Promise<Hold> {
    const file = holderFile(logFile);
    await withLock(file, async (lease) => {
        await assertFree(file, id);
        const holder = { pid: process.pid, start: await processStart(process.pid) };
        await writeFileAtomically(file, formatJson(holder), {
            durable: false,
            beforeReplace: () => lease.assertHeld(),
        });
    });
    return {
        async release() {
            // One that stays behind is worth nothing once this process has ended.
            await rm(file, { force: true }).catch(() => {});
        },
    };
}

/** Does `work` while nobody may begin to append, if nobody does; else like `holdConversation`. */
export async function withFreeConversation(
    logFile: string,
    id: string,
    work: () => Promise<void>
): Promise<void> {
    const file = holderFile(logFile);
    await withLock(file, async () => {
        await assertFree(file, id);
        await work();
        await rm(file, { force: true });
    });
}

function holderFile(logFile: string): string {
    return logFile.replace(/\.jsonl$/, ".holder");
}

async function assertFree(file: string, id: string): Promise<void> {
    const holder = await readJson(file);
    // A holder that cannot be read was not written by a living process: it is replaced at once.
    if (holder.kind !== "value") return;
    const { pid, start } = holder.value;
    if (typeof pid !== "number" || !isProcessAlive(pid)) return;
    const currentStart = await processStart(pid);
    const isAnother = start !== undefined && currentStart !== undefined && start !== currentStart;
    if (isAnother) return;
    const where = pid === process.pid ? "this North" : `another North (process ${pid})`;
    throw new NorthError("conversation-in-use", `Conversation ${id} is open in ${where}.`, [
        "Leave it there first, or start a new conversation.",
    ]);
}
