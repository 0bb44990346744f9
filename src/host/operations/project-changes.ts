import { existsSync } from "node:fs";
import {
    type AppliedChange,
    AppliedChanges,
    mergeByTime,
    LINES_WITHOUT_CHANGES,
} from "../../core/history/applied-changes.js";
import { onlyWarnings } from "../../storage/conversations/open-journal.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";

/** All changes North ever made in a repository, oldest first. */
interface ProjectChanges {
    readonly changes: readonly AppliedChange[];
    /** Those and the parts of drafts, which the project has once they are applied. */
    readonly withDrafts: readonly AppliedChange[];
    readonly warnings: readonly string[];
}

export async function projectChanges(dataFolder: string, root: string): Promise<ProjectChanges> {
    const conversations: (readonly AppliedChange[])[] = [];
    const warnings: string[] = [];
    for await (const stored of projectLogs(dataFolder, root, LINES_WITHOUT_CHANGES)) {
        const changes = new AppliedChanges(stored.records);
        const inherited = new AppliedChanges(stored.records.slice(0, stored.inherited));
        // A conversation may start at the old path of a repository that was moved.
        const isHere = (change: AppliedChange) => change.root === root || !existsSync(change.root);
        // Changes that a fork inherited belong to the other conversation.
        conversations.push(changes.withDrafts.slice(inherited.withDrafts.length).filter(isHere));
        warnings.push(...stored.warnings);
    }
    const withDrafts = mergeByTime(conversations);
    return { changes: withDrafts.filter(({ isDrafted }) => !isDrafted), withDrafts, warnings };
}

/** Reads all conversation logs of a repository, without lines that start with one of `skip`. */
export async function* projectLogs(dataFolder: string, root: string, skip: readonly string[]) {
    const store = createConversationStore(dataFolder);
    const unlisted: string[] = [];
    const summaries = await store.list({ report: (warning) => unlisted.push(warning) });
    yield onlyWarnings(unlisted);
    for (const summary of summaries) {
        if (summary.root === root) yield store.readAmong(summary.id, { skip });
    }
}
