import type { StoredContents } from "../../base/stored-contents.js";
import { sameBytes } from "../../base/same-bytes.js";
import { sha256 } from "../../base/sha256.js";
import { type FileType, fileTypes, typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangedFile, ChangeSet, FileChange } from "../../plugin/index.js";

/**
 * The project with changes that are not on disk: the net change of each path from the project of
 * today to the view. Contents are in the content store, by hash. A view is a value; nothing else
 * belongs to it.
 */
export type View = ReadonlyMap<string, ChangedFile>;

/** A view with what it takes to show it. */
export interface StoredView {
    readonly files: View;
    readonly contents: StoredContents;
}

export interface FileVersion {
    readonly type?: ChangedFile["type"];
    /** SHA-256 in hex; `null` if the file does not exist. */
    readonly hash: string | null;
    /** Permission bits, if logged. */
    readonly mode?: number | undefined;
}

/** Whether it is a file that people look after, which a folder or a command's output is not. */
export function isEdited({ type, isIgnored }: ChangedFile): boolean {
    return type !== "folder" && isIgnored !== true;
}

export function versionBefore(file: ChangedFile): FileVersion {
    const { type } = fileTypes(typeBefore(file), undefined);
    return version(type, file.beforeHash, file.modeBefore);
}

export function versionAfter({ type, afterHash, modeAfter }: ChangedFile): FileVersion {
    return version(type, afterHash, modeAfter);
}

function version(type: ChangedFile["type"], hash: string | null, mode: number | undefined) {
    return { ...(type && { type }), hash, ...(mode === undefined ? {} : { mode }) };
}

/** The change from one version of a path to another. */
function changeBetween(path: string, before: FileVersion, after: FileVersion): ChangedFile {
    const typeOf = ({ hash, ...types }: FileVersion) =>
        hash === null ? undefined : typeAfter(types);
    return {
        path,
        ...fileTypes(typeOf(before), typeOf(after)),
        beforeHash: before.hash,
        afterHash: after.hash,
        ...(before.mode === undefined ? {} : { modeBefore: before.mode }),
        ...(after.mode === undefined ? {} : { modeAfter: after.mode }),
    };
}

/** A version as a run sees it; what the project has in its place does not matter there. */
export function seenAs(path: string, { type, hash, mode }: FileVersion): ChangedFile {
    const bits = mode === undefined ? {} : { modeAfter: mode };
    return { path, ...(type && { type }), beforeHash: null, afterHash: hash, ...bits };
}

/** Changes as what a run sees; what the project has in their place does not matter there. */
export function viewOfChanges(changes: ChangeSet["changes"]): StoredView {
    const stored = new Map<string, Uint8Array>();
    const files = changes.map(({ path, type, after, mode }): ChangedFile => {
        const afterHash = after && sha256(after);
        if (after && afterHash) stored.set(afterHash, after);
        return seenAs(path, { type, hash: afterHash, mode });
    });
    return {
        files: new Map(files.map((file) => [file.path, file])),
        contents: { get: async (hash) => stored.get(hash) ?? new Uint8Array() },
    };
}

/** The project as it is. */
export const PROJECT_AS_IT_IS: View = new Map();

/** The view after further changes, each made on the view itself. What ends as it began is left out. */
export function withChanges(view: View, files: readonly ChangedFile[]): View {
    const changed = new Map(view);
    for (const file of files) {
        const earlier = changed.get(file.path);
        const merged = earlier ? mergeChanges(earlier, file) : file;
        if (isSameVersion(merged)) changed.delete(file.path);
        else changed.set(file.path, merged);
    }
    return changed;
}

/** Joins two successive changes of a file. */
export function mergeChanges(earlier: ChangedFile, later: ChangedFile): ChangedFile {
    return changeBetween(earlier.path, versionBefore(earlier), versionAfter(later));
}

/** Whether a file is after a change what it was before. */
export function isSameVersion({
    typeBefore,
    beforeHash,
    afterHash,
    modeBefore,
    modeAfter,
}: ChangedFile): boolean {
    const isSameMode = (modeBefore ?? modeAfter) === (modeAfter ?? modeBefore);
    return beforeHash === afterHash && typeBefore === undefined && isSameMode;
}

export function reversedFile(file: ChangedFile): ChangedFile {
    return changeBetween(file.path, versionAfter(file), versionBefore(file));
}

/** The content of a path and its type; `null` if nothing is there. */
interface Content {
    readonly bytes: Uint8Array | null;
    readonly type: FileType;
}

/** The change from one content of a path to another. `mode`: permission bits, if they change. */
export function contentChange(
    path: string,
    before: Content,
    after: Content,
    mode?: number
): FileChange {
    const typeOf = ({ bytes, type }: Content) => (bytes ? type : undefined);
    return {
        ...{ path, ...fileTypes(typeOf(before), typeOf(after)) },
        ...{ before: before.bytes, beforeHash: before.bytes && sha256(before.bytes) },
        after: after.bytes,
        ...(mode !== undefined && after.bytes && { mode }),
    };
}

export function hasEffect({ before, after, mode, typeBefore: other }: FileChange): boolean {
    return mode !== undefined || other !== undefined || !sameBytes(before, after);
}

/** For review and applier, sorted by path. Rejects with `object-missing`, `object-damaged`. */
export async function changeSetOf(
    view: View,
    contents: StoredView["contents"]
): Promise<ChangeSet> {
    const sorted = [...view.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    const changes: FileChange[] = [];
    for (const file of sorted) {
        const { path, type, beforeHash, afterHash, modeBefore, modeAfter } = file;
        const contentOf = async (hash: string | null, kind: FileType) => {
            if (hash === null) return null;
            return kind === "folder" ? new Uint8Array() : contents.get(hash);
        };
        const isNewMode = modeAfter !== modeBefore || file.typeBefore !== undefined;
        const hasMode = modeAfter !== undefined && isNewMode && type !== "link";
        changes.push({
            path,
            ...(type && { type }),
            ...(file.typeBefore && { typeBefore: file.typeBefore }),
            before: await contentOf(beforeHash, typeBefore(file)),
            beforeHash,
            after: await contentOf(afterHash, typeAfter(file)),
            ...(hasMode && afterHash !== null && { mode: modeAfter }),
        });
    }
    return { changes };
}
