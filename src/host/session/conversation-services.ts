import path from "node:path";
import type { ReplyUsage } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { hiddenOutputs } from "../../core/conversation/hidden-outputs.js";
import type { Entry, JournalRecord } from "../../plugin/records.js";
import type { SlashServices } from "../../plugin/index.js";
import {
    exportedConversation,
    exportText,
    writeExport,
} from "../conversations/export-conversation.js";
import type { SessionParts } from "./session-parts.js";
import { summarizer } from "./summarize-conversation.js";
import { prepareUndo, type UndoPlace } from "../conversations/undo-changes.js";

/** What slash commands may do with this conversation, with others, and with what was changed. */
export function conversationServices(
    session: SessionParts
): Pick<SlashServices, "conversation" | "conversations" | "changes"> {
    return {
        conversation: {
            get id() {
                return session.conversationId;
            },
            startNew: () => session.startNew(),
            resume: (id) => session.resume(id),
            export: (file) => exportTo(session, file),
            summarize: summarizer(session),
            replies: () => session.entries.flatMap(replyUsage),
            hiddenOutputs: () => hiddenOutputs(session.entries, session.options.project.contents),
        },
        conversations: {
            async list() {
                const all = await session.options.project.conversations.list();
                return all.filter(
                    ({ id, root }) => root === session.root && id !== session.conversationId
                );
            },
        },
        changes: { planUndo: (turns) => prepareUndo(undoPlace(session), session.entries, turns) },
    };
}

function undoPlace({ conversation, root, options }: SessionParts): UndoPlace {
    const { applier, contents } = options.project;
    const record = (entry: JournalRecord) => conversation.record(entry);
    return { root, applier, contents, record, edges: options.edges };
}

async function exportTo(session: SessionParts, wanted?: string): Promise<string> {
    if (session.entries.length === 0) {
        throw new NorthError("nothing-said", "Nothing has been said in this conversation yet.");
    }

    const file = path.resolve(session.root, wanted ?? `north-${session.conversationId}.md`);
    const exported = exportedConversation(session.conversation.state);
    const format = file.toLowerCase().endsWith(".json") ? "json" : "md";
    await writeExport(file, exportText(exported, format), { replace: false });
    return file;
}

function replyUsage(entry: Entry): ReplyUsage[] {
    if (entry.kind !== "assistant" || entry.usage === undefined) return [];
    const { provider, model, usage, costUsd = null } = entry;
    return [{ provider, model, usage, costUsd }];
}
