import { Conversation } from "../../core/conversation/fold.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { recoverInterruptedApply } from "../../workspace/apply/journal.js";
import { openStores } from "../open-stores.js";
import { applyJournal } from "../project/apply-journal.js";
import { openResumedLog, resolveInterruptedChanges } from "../conversations/open-conversation.js";
import { systemRuntime } from "../runtime.js";
import { newestConversation } from "../conversations/conversation-list.js";
import { changedFolder } from "./changed-folder.js";
import type { UndoHost } from "./undo-changes.js";
import { changesText } from "../../chat/printed-text.js";
import { confirmChangesInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { ChangeSet, JournalRecord, PlannedUndo } from "../../plugin/index.js";

interface OpenedHost extends UndoHost {
    readonly id: string;
    readonly conversation: UndoHost["conversation"] & { readonly state: Conversation };
}

/**
 * Undoes or drops outside the chat, with the conversation locked meanwhile. Rejects like `work`, and
 * if the repository is gone.
 */
export async function withUndoHost<Result>(
    dataFolder: string,
    request: {
        /** Default: the newest conversation of this repository. */
        readonly id: string | undefined;
        /** Use the repository around this folder instead of the recorded one. */
        readonly path: string | undefined;
    },
    work: (host: OpenedHost) => Promise<Result>
): Promise<Result> {
    const { path, id = await newestConversation(dataFolder, path ?? process.cwd()) } = request;
    const opened = await openResumedLog(createConversationStore(dataFolder), id);
    const { journal: log, records } = opened;
    try {
        const recorded = opened.root ?? process.cwd();
        const folder = path ?? (await changedFolder(dataFolder, recorded));
        const { root, contents, grants } = await openStores(dataFolder, folder);
        const conversation = Conversation.of(records);
        const journal = applyJournal(dataFolder);
        await recoverInterruptedApply(journal);
        const record = (record: JournalRecord) => {
            log.append(record);
            conversation.apply(record);
        };
        await resolveInterruptedChanges({ root, conversation, record });
        return await work({
            ...{ id, root, runtime: systemRuntime },
            project: { contents, applier: createChangeApplier({ root, journal }), grants },
            conversation: { record, sync: () => log.sync(), state: conversation },
        });
    } finally {
        await log.sync();
        await log.close();
    }
}

export interface Asking {
    /** Shows the changes, and takes yes for the answer. */
    readonly force: boolean;
    print(text: string): void;
}

/** Shows an undo, asks in the terminal and applies it. Resolves with `false` on a no. */
export async function applyConfirmed(
    { changeSet, apply }: Pick<PlannedUndo, "changeSet" | "apply">,
    question: string,
    asking: Asking
): Promise<boolean> {
    const isWanted = await confirmIn(asking)(question, changeSet);
    if (isWanted) await apply();
    return isWanted;
}

/** Asks in the terminal whether to apply changes, outside the chat. */
export function confirmIn({ force, print }: Asking) {
    return async (question: string, changeSet: ChangeSet): Promise<boolean> => {
        if (!force) return confirmChangesInTerminal(`${question}?`, changeSet);
        print(await changesText(changeSet));
        return true;
    };
}
