import type { PlannedUndo } from "../../plugin/index.js";
import type { JournalRecord } from "../../plugin/records.js";
import { Conversation } from "../../core/conversation/fold.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { createObjectStore } from "../../storage/files/object-store.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { recoverInterruptedApply } from "../../workspace/apply/journal.js";
import { findRoot } from "../../workspace/find-root.js";
import { applyJournal } from "../project/apply-journal.js";
import { openResumedLog } from "./conversation-source.js";
import { realEdges } from "../edges.js";
import { newestConversation } from "./find-conversation.js";
import { settleChanges } from "./settle-changes.js";
import { prepareUndo } from "./undo-changes.js";

export interface UndoRequest {
    /** Defaults to the newest conversation of the repository around `folder`. */
    readonly id: string | undefined;
    readonly turns: number | undefined;
    readonly folder: string;
    /** Undo in the repository around this folder instead of the recorded one. */
    readonly path: string | undefined;
}

/** A planned undo; the conversation stays locked until it is closed. */
export interface OpenedUndo {
    readonly id: string;
    readonly root: string;
    readonly planned: PlannedUndo;
    close(): Promise<void>;
}

/** Plans an undo outside the chat. Rejects like `prepareUndo`, and if the repository is gone. */
export async function openUndo(dataFolder: string, request: UndoRequest): Promise<OpenedUndo> {
    const id = request.id ?? (await newestConversation(dataFolder, request.path ?? request.folder));
    const {
        journal: log,
        records,
        root: recorded,
    } = await openResumedLog(createConversationStore(dataFolder), id);
    const close = async () => {
        await log.sync();
        await log.close();
    };
    try {
        const { root } = await findRoot(request.path ?? recorded ?? request.folder);
        const conversation = new Conversation();
        for (const record of records) conversation.apply(record);
        const journal = applyJournal(dataFolder);
        await recoverInterruptedApply(journal);
        const record = (record: JournalRecord) => {
            log.append(record);
            conversation.apply(record);
        };
        await settleChanges({ root, conversation, record });
        const place = {
            root,
            edges: realEdges,
            contents: createObjectStore(dataFolder),
            applier: createChangeApplier({ root, journal }),
            record,
        };
        const planned = await prepareUndo(place, conversation.entries, request.turns);
        return { id, root, planned, close };
    } catch (error) {
        await close();
        throw error;
    }
}
