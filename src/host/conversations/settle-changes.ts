import type { Conversation } from "../../core/conversation/fold.js";
import type { ChangedFile, JournalRecord } from "../../plugin/records.js";
import { currentVersion } from "../../workspace/current-file.js";

/** A resumed conversation in its recorded folder. */
export interface ResumedChanges {
    readonly root: string;
    readonly conversation: Conversation;
    record(record: JournalRecord): void;
}

/**
 * Compares files to find whether the change that a kill interrupted was made, so that it can be
 * undone. A half-made change must have been settled before.
 */
export async function settleChanges(resumed: ResumedChanges): Promise<void> {
    const { root, conversation, record } = resumed;
    for (const change of [...conversation.begunChanges.values()]) {
        const isDone = await Promise.all(change.files.map((file) => isMade(root, file)));
        if (isDone.every(Boolean)) record({ type: "entry_added", entry: change });
        else record({ type: "change_dropped", id: change.id });
    }
}

/** What cannot be read is not what North has written. */
async function isMade(root: string, { path, type, afterHash }: ChangedFile): Promise<boolean> {
    return currentVersion(root, path, type).then(
        (file) => (file?.hash ?? null) === afterHash,
        () => false
    );
}
