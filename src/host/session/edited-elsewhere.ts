import { formatAgo } from "../../base/format.js";
import type { RecentEdit, Runtime } from "../../core/agent/turn.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import { AppliedChanges, LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ChangeEntry } from "../../plugin/records.js";
import type { Project } from "../project/open-project.js";
import type { ProjectStores } from "../open-stores.js";

const RECENT_MS = 3_600_000;
const MAX_NAMED = 20;

interface Place {
    readonly project: Project;
    readonly runtime: Pick<Runtime, "now">;
}

/** The files whose last edit, within an hour, came from another conversation. */
export async function editedElsewhere(
    paths: readonly string[],
    conversation: ConversationLog,
    { project, runtime }: Place
): Promise<readonly RecentEdit[]> {
    const now = runtime.now();
    const { conversations } = project.stores;
    try {
        const latest = await latestEdits(project.stores, conversation, now - RECENT_MS);
        const open = new Set((await conversations.held()).map(({ id }) => id));
        const edits = paths.flatMap((path) => {
            const { id, at } = latest.get(path) ?? { id: conversation.id, at: now };
            if (id === conversation.id) return [];
            const text = `${path} was edited by conversation ${id}, ${formatAgo(now - at)}`;
            return { text, isNews: open.has(id) || at > lastSeen(path, conversation) };
        });
        return edits.slice(0, MAX_NAMED);
    } catch (error) {
        project.log.event("error", "other_sessions_unread", { error: String(error) });
        return [];
    }
}

/** When this conversation last read the file, or else began. */
function lastSeen(path: string, { state: { entries } }: ConversationLog): number {
    const reading = entries.findLast(
        (entry) => "observed" in entry && entry.observed?.some((file) => file.path === path)
    );
    return (reading ?? entries[0])?.at ?? 0;
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
        const { records } = await conversations.readAmong(id, { skip: LINES_WITHOUT_CHANGES });
        const history = new AppliedChanges(records);
        for (const { change, root: location, isRecorded } of history.all) {
            if (isRecorded && location === root) note(id, change);
        }
    }
    for (const entry of state.entries) if (entry.kind === "change") note(own, entry);
    return latest;
}
