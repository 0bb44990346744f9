import { formatElapsed } from "../../base/format.js";
import { AppliedChanges, LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ChangeEntry } from "../../plugin/records.js";
import type { SessionParts } from "./session-parts.js";

const RECENT_MS = 3_600_000;
const MOST_NAMED = 20;

type Session = Pick<SessionParts, "root" | "conversationId" | "entries" | "options">;

/**
 * A sentence for each file whose latest edit of the past hour is another session's:
 * `a.ts was edited by session 9f2c1a, 40s ago`.
 */
export async function editedElsewhere(
    session: Session,
    paths: readonly string[]
): Promise<readonly string[]> {
    const { project, edges } = session.options;
    const now = edges.now();
    const own = session.conversationId;
    try {
        const latest = await latestEdits(session, now - RECENT_MS);
        const sentences = paths.flatMap((path) => {
            const { id, at } = latest.get(path) ?? { id: own, at: now };
            const ago = formatElapsed(Math.max(1_000, now - at));
            return id === own ? [] : [`${path} was edited by session ${id}, ${ago} ago`];
        });
        return sentences.slice(0, MOST_NAMED);
    } catch (error) {
        project.log.event("error", "other_sessions_unread", { error: String(error) });
        return [];
    }
}

async function latestEdits({ root, conversationId, entries, options }: Session, since: number) {
    const { conversations } = options.project;
    const latest = new Map<string, { readonly id: string; readonly at: number }>();
    const note = (id: string, { at, files }: ChangeEntry) => {
        for (const { path } of at < since ? [] : files) {
            if ((latest.get(path)?.at ?? 0) <= at) latest.set(path, { id, at });
        }
    };
    for (const id of await conversations.changedSince(since)) {
        if (id === conversationId) continue;
        const { records } = await conversations.read(id, { skip: LINES_WITHOUT_CHANGES });
        const history = new AppliedChanges();
        for (const record of records) history.apply(record);
        for (const { change, root: place, isRecorded } of history.all) {
            if (isRecorded && place === root) note(id, change);
        }
    }
    for (const entry of entries) if (entry.kind === "change") note(conversationId, entry);
    return latest;
}
