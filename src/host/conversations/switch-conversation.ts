import type { Provider } from "../../plugin/index.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import { leftoverNotices } from "../../core/files/leftovers.js";
import { resolveModel, type ResolvedModel } from "../../core/registry/models.js";
import { openResumedLog, resumedConversation } from "./conversation-source.js";
import type { Project } from "../project/open-project.js";
import { rootWarnings } from "./resumed-root.js";

/** A conversation to go on with in the middle of a session. */
export interface NextConversation {
    readonly conversation: ConversationLog;
    /** Its own model; absent where that is no longer available. */
    readonly model?: ResolvedModel;
    /** What the user should know of it. */
    readonly warnings: readonly string[];
}

/** Opens an earlier conversation of the project. Rejects like `rootWarnings` and `open`. */
export async function nextConversation(project: Project, id: string): Promise<NextConversation> {
    const opened = await openResumedLog(project.conversations, id);
    try {
        const isElsewhere = opened.root !== project.root;
        const warnings = isElsewhere ? await rootWarnings(opened) : [];
        const conversation = await resumedConversation(project, opened);
        const providers = [...project.registry.providers.values()].map(({ value }) => value);
        const { provider, model: name } = conversation.state;
        const model = available(`${provider}/${name}`, providers);
        return {
            conversation,
            ...(model ? { model } : {}),
            warnings: [
                ...opened.warnings,
                ...warnings,
                ...leftoverNotices(project.staging(id)),
                ...(model ? [] : [`Its model, ${provider}/${name}, is no longer available.`]),
                ...(model?.notice ? [model.notice] : []),
            ],
        };
    } catch (error) {
        await opened.journal.close();
        throw error;
    }
}

function available(name: string, providers: readonly Provider[]): ResolvedModel | undefined {
    try {
        return resolveModel(name, providers);
    } catch {
        return undefined;
    }
}
