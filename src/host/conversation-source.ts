import { ConversationLog } from "../core/conversation/conversation-log.js";
import type { Project } from "./open-project.js";

/** What a new conversation is begun with. */
export interface FirstModel {
    readonly provider: string;
    readonly model: string;
}

/** A conversation that exists once something is said in it. */
export function newConversation(project: Project, current: () => FirstModel): ConversationLog {
    const id = project.conversations.newId();
    return new ConversationLog(
        id,
        async () => {
            const { root } = project;
            const { journal, started } = await project.conversations.start({
                id,
                root,
                ...current(),
            });
            return { journal, records: [started] };
        },
        observersOf(project),
        project.log
    );
}

/** A conversation that goes on; opened at once, so that a second North is told that it is in use. */
export async function resumedConversation(
    project: Project,
    id: string
): Promise<{ conversation: ConversationLog; warnings: readonly string[] }> {
    const journal = await project.conversations.open(id);
    try {
        const { records, warnings } = await project.conversations.read(id);
        const opened = async () => ({ journal, records });
        const conversation = new ConversationLog(id, opened, observersOf(project), project.log);
        await conversation.begin();
        return { conversation, warnings };
    } catch (error) {
        await journal.close();
        throw error;
    }
}

function observersOf(project: Project) {
    return project.registry.observers.map(({ value }) => value);
}
