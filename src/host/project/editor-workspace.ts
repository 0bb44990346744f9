import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import type { ChangeApplier, SharedWorkspace } from "../../core/agent/turn.js";
import type { EditorFiles } from "../../core/editor-files.js";
import type { ChangedFile, FileContent, Workspace } from "../../plugin/index.js";
import type { Project } from "./open-project.js";

const BOM = "\ufeff";

type Files = Pick<Project, "workspace" | "applier">;

/**
 * Overlays a project's files with the unsaved changes of an editor. The workspace decides whether a
 * file may be read before the editor is asked. A file without unsaved changes is read and written
 * on disk, byte for byte; one with unsaved changes is written by the editor, which saves it.
 */
export function throughEditor({ workspace, applier }: Files, editor: EditorFiles): Files {
    const unsaved = unsavedIn(workspace.root, editor);
    return {
        workspace: editorWorkspace(workspace, unsaved),
        applier: editorApplier(applier, workspace, unsaved, editor),
    };
}

type Unsaved = (file: FileContent) => Promise<FileContent | undefined>;

/** The editor's version of a file; `undefined` if it equals the one on disk. */
function unsavedIn(root: string, editor: EditorFiles): Unsaved {
    return async (file) => {
        const disk = decoded(file.bytes);
        if (disk === undefined) return undefined;
        const typed = await editor.read(path.join(root, file.path));
        if (typed === undefined || normalized(typed) === normalized(disk)) return undefined;
        const text = disk.includes("\r\n")
            ? normalized(typed).replaceAll("\n", "\r\n")
            : withoutBom(typed);
        const bytes = new TextEncoder().encode(disk.startsWith(BOM) ? BOM + text : text);
        return { ...file, bytes, hash: sha256(bytes) };
    };
}

function editorWorkspace(workspace: SharedWorkspace, unsaved: Unsaved): SharedWorkspace {
    const read = (by: Workspace): Workspace["read"] =>
        async function (path, options) {
            const file = await by.read(path, options);
            return (await unsaved(file)) ?? file;
        };
    const over = <Shape extends Workspace>(by: Shape): Shape =>
        Object.create(by, { read: { value: read(by) } });
    return Object.create(over(workspace), {
        readBy: {
            value: (reader: Parameters<SharedWorkspace["readBy"]>[0]) =>
                over(workspace.readBy(reader)),
        },
    });
}

function editorApplier(
    applier: ChangeApplier,
    workspace: Workspace,
    unsaved: Unsaved,
    editor: EditorFiles
): ChangeApplier {
    return {
        resolve: (changeSet, view) => applier.resolve(changeSet, view),
        async apply(changeSet, announce) {
            const { changes } = changeSet;
            const open = await Promise.all(
                changes.map(async (change) => {
                    const isFile = change.type === undefined && change.typeBefore === undefined;
                    if (change.before === null || !isFile) return undefined;
                    // Do not ask the editor about unreadable files.
                    const file = await workspace.read(change.path).catch(() => undefined);
                    return file && unsaved(file);
                })
            );
            const current = open.find((file) => file !== undefined);
            if (current === undefined) return applier.apply(changeSet, announce);
            const [change] = changes;
            const after = change?.after && decoded(change.after);
            if (changes.length > 1 || change === undefined || typeof after !== "string") {
                throw unsavedChanges(current.path);
            }
            const [now] = (await applier.resolve(changeSet)).changes;
            const isMoved = change.realPath !== undefined && now?.realPath !== change.realPath;
            if (isMoved || current.hash !== change.beforeHash) {
                return { kind: "stale", paths: [change.path] };
            }
            if (!editor.write) throw unsavedChanges(current.path);
            const changed: ChangedFile = {
                path: change.path,
                beforeHash: change.beforeHash,
                afterHash: sha256(change.after ?? ""),
                modeBefore: current.mode,
                modeAfter: current.mode,
            };
            await announce([changed]);
            await editor.write(path.join(workspace.root, current.path), withoutBom(after));
            return { kind: "applied", files: [changed] };
        },
    };
}

function unsavedChanges(file: string): NorthError {
    return new NorthError(
        "unsaved-in-editor",
        `Nothing was written: ${file} has unsaved changes in the editor.`,
        ["Ask the user to save it, or edit it separately."]
    );
}

function decoded(bytes: Uint8Array): string | undefined {
    if (bytes.includes(0)) return undefined;
    return attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

function withoutBom(text: string): string {
    return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** Without what editors keep apart from the text: byte order mark and line endings. */
function normalized(text: string): string {
    return withoutBom(text).replaceAll("\r\n", "\n");
}
