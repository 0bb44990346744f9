import path from "node:path";
import { runGit } from "../../base/git.js";
import { sha256 } from "../../base/sha256.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { blame, type LineOrigin } from "../../core/history/blame.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import type { CommitOfLine } from "./git-blame.js";
import { projectChanges } from "./project-changes.js";

interface CommittedFile {
    readonly dataFolder: string;
    readonly root: string;
    readonly path: string;
    readonly contents: ContentStore;
    /** By line index. */
    readonly commits: ReadonlyMap<number, CommitOfLine>;
}

/**
 * The turns behind lines that were written in another worktree and came here in a commit, by line
 * index. Exact: the commit holds the file as a turn there left it.
 */
export async function originsInWorktrees(
    file: CommittedFile
): Promise<ReadonlyMap<number, LineOrigin>> {
    const { dataFolder, root, path: location, contents, commits } = file;
    const found = new Map<number, LineOrigin>();
    for (const other of await otherWorktrees(dataFolder, root)) {
        const { changes, withDrafts } = await projectChanges(dataFolder, other);
        const files = changes.flatMap(({ change }) => change.files);
        const written = files.filter((one) => one.path === location && one.afterHash !== null);
        const left = new Set(written.map(({ afterHash }) => afterHash));
        const start = Math.min(...changes.map(({ change }) => change.at));
        for (const commit of left.size === 0 ? [] : commitsSince(start, commits)) {
            const bytes = await committedBytes(root, commit, location);
            const hash = bytes && sha256(bytes);
            if (!bytes || hash === undefined || !left.has(hash)) continue;
            const { origins } = await blame({
                ...{ path: location, bytes, hash, contents },
                changes: withDrafts,
            });
            for (const [line, { commit: own, line: there }] of commits) {
                const origin = own === commit ? origins[there] : undefined;
                if (origin) found.set(line, origin);
            }
        }
    }
    return found;
}

/** The main working tree and North's worktrees beside it in which a conversation was, without this one. */
async function otherWorktrees(dataFolder: string, root: string): Promise<readonly string[]> {
    const [, main = root] = /^(.+)\.worktrees\/[^/]+$/.exec(root) ?? [];
    const summaries = await createConversationStore(dataFolder).list();
    const roots = new Set(summaries.map((summary) => summary.root));
    roots.delete(root);
    return [...roots].filter((one) => one === main || path.dirname(one) === `${main}.worktrees`);
}

function commitsSince(start: number, commits: CommittedFile["commits"]): ReadonlySet<string> {
    // Git counts in seconds.
    const later = [...commits.values()].filter(({ at }) => at + 1_000 > start);
    return new Set(later.map(({ commit }) => commit));
}

async function committedBytes(root: string, commit: string, location: string) {
    const output = await runGit(root, ["cat-file", "blob", `${commit}:${location}`]);
    return output?.complete ? output.stdout : undefined;
}
