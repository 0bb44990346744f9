import type { ChangedFile, ChangeSet, FileChange } from "../../plugin/index.js";
import type { ContentStore } from "../conversation/content-store.js";
import { mergeChanges } from "../conversation/undo.js";

/**
 * The project with changes that are not on disk: the net change of each path from the project of
 * today to the view. Contents are in the content store, by hash. A view is a value; nothing else
 * belongs to it.
 */
export type View = ReadonlyMap<string, ChangedFile>;

/** The project as it is. */
export const PROJECT_AS_IT_IS: View = new Map();

/** The view after further changes, each made on the view itself. What ends as it began is left out. */
export function withChanges(view: View, files: readonly ChangedFile[]): View {
    const changed = new Map(view);
    for (const file of files) {
        const earlier = changed.get(file.path);
        const merged = earlier ? mergeChanges(earlier, file) : file;
        if (isSame(merged)) changed.delete(file.path);
        else changed.set(file.path, merged);
    }
    return changed;
}

function isSame({ beforeHash, afterHash, modeBefore, modeAfter }: ChangedFile): boolean {
    return beforeHash === afterHash && (modeBefore ?? modeAfter) === (modeAfter ?? modeBefore);
}

/**
 * A view as what the review shows and the applier writes, sorted by path. Rejects with
 * `object-missing` or `object-damaged`.
 */
export async function changeSetOf(
    view: View,
    contents: Pick<ContentStore, "get">
): Promise<ChangeSet> {
    const sorted = [...view.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    const changes: FileChange[] = [];
    for (const { path, type, beforeHash, afterHash, modeBefore, modeAfter } of sorted) {
        const contentOf = async (hash: string | null) => {
            if (hash === null) return null;
            return type === "folder" ? new Uint8Array() : contents.get(hash);
        };
        const hasMode = modeAfter !== undefined && modeAfter !== modeBefore && type !== "link";
        changes.push({
            path,
            ...(type && { type }),
            before: await contentOf(beforeHash),
            beforeHash,
            after: await contentOf(afterHash),
            ...(hasMode && afterHash !== null && { mode: modeAfter }),
        });
    }
    return { changes };
}
