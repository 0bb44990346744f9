import { formatElapsed } from "../../base/format.js";
import type { Runtime } from "../../core/agent/turn.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import { AppliedChanges, LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ChangeEntry } from "../../plugin/records.js";
import type { Project } from "../project/open-project.js";
import type { ProjectStores } from "../stores/open-stores.js";

const RECENT_MS = 3_600_000;
const MAX_NAMED = 20;

interface Place {
    readonly project: Project;
    readonly runtime: Pick<Runtime, "now">;
}

/** `a.ts was edited by session 9f2c1a, 40s ago`, if it made the last edit within an hour. */
export async function editedElsewhere(
    paths: readonly string[],
    conversation: ConversationLog,
    { project, runtime }: Place
): Promise<readonly string[]> {
    const now = runtime.now();
    const own = conversation.id;
    try {
        const latest = await latestEdits(project.stores, conversation, now - RECENT_MS);
        const sentences = paths.flatMap((path) => {
            const { id, at } = latest.get(path) ?? { id: own, at: now };
            const ago = formatElapsed(Math.max(1_000, now - at));
            return id === own ? [] : [`${path} was edited by session ${id}, ${ago} ago`];
        });
        return sentences.slice(0, MAX_NAMED);
    } catch (error) {
        project.log.event("error", "other_sessions_unread", { error: String(error) });
        return [];
    }
}

async function latestEdits(
    { root, conversations }: ProjectStores,
    { id: own, state }: ConversationLog,
    since: number
) {
    const latest = new Map<string, { readonly id: string; readonly at: number }>();
    const note = (id: string, { at, files }: ChangeEntry) => {
        for (const { path } of at < since ? [] : files) {
            if ((latest.get(path)?.at ?? 0) <= at) latest.set(path, { id, at });
        }
    };
    for (const id of await conversations.changedSince(since)) {
        if (id === own) continue;
        const { records } = await conversations.read(id, { skip: LINES_WITHOUT_CHANGES });
        const history = new AppliedChanges(records);
        for (const { change, root: location, isRecorded } of history.all) {
            if (isRecorded && location === root) note(id, change);
        }
    }
    for (const entry of state.entries) if (entry.kind === "change") note(own, entry);
    return latest;
}
