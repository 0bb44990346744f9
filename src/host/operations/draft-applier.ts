import { lstat } from "node:fs/promises";
import path from "node:path";
import { foldersAbove } from "../../base/paths.js";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { ChangeApplier, TurnProject } from "../../core/agent/turn.js";
import { versionBefore, type View } from "../../core/draft/view.js";
import { typeBefore as typeBeforeOf } from "../../plugin/change-set.js";
import type { ChangedFile, FileChange } from "../../plugin/index.js";

/** Drafts changes: resolves them in the view of the draft, and writes nothing. */
export function draftApplier(
    {
        applier,
        workspace: { root },
        contents,
    }: Pick<TurnProject, "applier" | "contents"> & {
        readonly workspace: { readonly root: string };
    },
    view: () => View
): ChangeApplier {
    return {
        resolve: (changeSet) => applier.resolve(changeSet, { files: view(), contents }),
        async apply({ changes }, announce) {
            const files = await Promise.all(changes.map((change) => fileOf(root, view(), change)));
            const all = [...remadeFolders(files, view()), ...files];
            await announce(all);
            return { kind: "applied", files: all };
        },
    };
}

async function fileOf(root: string, view: View, change: FileChange): Promise<ChangedFile> {
    const { realPath = change.path, type, typeBefore, after, mode } = change;
    const known = view.get(realPath);
    const isInProject = !known && change.beforeHash !== null && !isInNewFolder(realPath, view);
    const stats = isInProject ? await ifAbsent(lstat(path.join(root, realPath)), null) : null;
    // A folder that exists only for the draft's files is not a change of the project. A file that is
    // gone was deleted meanwhile: applying the draft must find that.
    const wasOwnFolder = typeBeforeOf(change) === "folder" && !known && !stats;
    const beforeHash = wasOwnFolder ? null : change.beforeHash;
    const modeBefore = known ? known.modeAfter : stats ? stats.mode & 0o7777 : undefined;
    const modeAfter = mode ?? modeBefore ?? usualMode(type);
    return {
        path: realPath,
        ...(type && { type }),
        ...(typeBefore && { typeBefore }),
        beforeHash,
        afterHash: after === null ? null : sha256(after),
        modeBefore,
        ...(after !== null && { modeAfter }),
    };
}

/** Whether the project has something else than a folder where the view has one above the path. */
function isInNewFolder(file: string, view: View): boolean {
    return foldersAbove(file).some((folder) => {
        const known = view.get(folder);
        const before = known && versionBefore(known);
        return before && (before.hash === null || before.type !== "folder");
    });
}

/** Deleted paths that become folders because something is created below them. */
function remadeFolders(files: readonly ChangedFile[], view: View): readonly ChangedFile[] {
    const named = new Set(files.map(({ path: name }) => name));
    const created = files.filter(({ afterHash }) => afterHash !== null);
    const above = new Set(created.flatMap(({ path: name }) => foldersAbove(name)));
    return [...above].flatMap((folder): readonly ChangedFile[] => {
        if (named.has(folder) || view.get(folder)?.afterHash !== null) return [];
        const modeAfter = usualMode("folder");
        return [{ path: folder, type: "folder", beforeHash: null, afterHash: EMPTY, modeAfter }];
    });
}

const EMPTY = sha256(new Uint8Array());

/** What a new file or folder gets. */
function usualMode(type: FileChange["type"]): number {
    return (type === "folder" ? 0o777 : 0o666) & ~process.umask();
}
