import { NorthError } from "../../base/north-error.js";
import type { OpenNested } from "../../core/agent/nested/run-nested.js";
import { ConversationLog, type OpenedLog } from "../../core/conversation/conversation-log.js";
import type { JournalRecord, NestedOrigin } from "../../plugin/records.js";
import type { ConversationStore } from "../../storage/conversations/conversations.js";
import type { Project } from "../project/open-project.js";
import { settleChanges } from "./settle-changes.js";

/** What a new conversation is begun with. */
export interface FirstModel {
    readonly provider: string;
    readonly model: string;
}

/** A conversation that exists once something is said in it, or a nested run. */
export function newConversation(
    project: Project,
    current: () => FirstModel,
    nested?: NestedOrigin
): ConversationLog {
    const id = project.conversations.newId();
    const open = async () => {
        const { root } = project;
        const start = { id, root, ...current(), ...(nested && { nested }) };
        const { journal, started } = await project.conversations.start(start);
        return { journal, records: [started] };
    };
    return conversationOf(project, id, open, nested);
}

/** Makes the logs of nested runs, in the name of the conversation that is open. */
export function nestedLogs(project: Project, conversation: ConversationLog): OpenNested {
    const parent = conversation.isOpen ? { parent: conversation.id } : {};
    return (origin, model) => newConversation(project, () => model, { ...origin, ...parent });
}

/** A log that goes on. */
export interface ResumedLog extends OpenedLog {
    readonly id: string;
    /** Where it was last held; `undefined` where the log does not say any more. */
    readonly root: string | undefined;
    readonly warnings: readonly string[];
}

/** Opens at once, so that a second North is told that the conversation is in use, and reads once. */
export async function openResumedLog(store: ConversationStore, id: string): Promise<ResumedLog> {
    const journal = await store.open(id);
    try {
        const { records, warnings } = await store.read(id);
        if (records.length === 0) throw emptyLog(id);
        const [start] = records;
        if (start?.type === "conversation_started" && start.nested) {
            throw nestedRun(id, start.nested);
        }
        return { id, journal, records, warnings, root: lastRoot(records) };
    } catch (error) {
        await journal.close();
        throw error;
    }
}

/** It has no approver, fewer tools, and nobody would find it in a list. */
function nestedRun(id: string, { by, parent }: NestedOrigin): NorthError {
    return new NorthError("nested-run", `${id} is a nested run of ${by}: it cannot be resumed.`, [
        `\`north conversations show ${id}\` shows it.`,
        ...(parent === undefined ? [] : [`\`north resume ${parent}\` resumes its conversation.`]),
    ]);
}

function emptyLog(id: string): NorthError {
    return new NorthError("empty-conversation", `The log of conversation ${id} is empty.`, [
        `\`north conversations delete ${id}\` removes it; \`north\` starts a new one.`,
    ]);
}

/** The conversation of a log that was opened. */
export async function resumedConversation(
    project: Project,
    opened: ResumedLog
): Promise<ConversationLog> {
    const conversation = conversationOf(project, opened.id, async () => opened);
    await conversation.begin();
    if (opened.records.at(-1)?.type !== "conversation_ended") await project.sweepLeftovers();
    const { state } = conversation;
    if (state.begunChanges.size > 0 && state.root === project.root) {
        await project.recovered;
        const record = (record: JournalRecord) => conversation.record(record);
        await settleChanges({ root: project.root, conversation: state, record });
    }
    return conversation;
}

function lastRoot(records: readonly JournalRecord[]): string | undefined {
    const record = records.findLast(
        ({ type }) => type === "conversation_started" || type === "root_changed"
    );
    return record && "root" in record ? record.root : undefined;
}

function conversationOf(
    project: Project,
    id: string,
    open: () => Promise<OpenedLog>,
    nested?: NestedOrigin
): ConversationLog {
    const observers = project.registry.observers.map(({ value }) => value);
    return new ConversationLog(id, open, observers, project.log, nested);
}
