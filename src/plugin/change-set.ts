import { counted } from "../base/format.js";
import type { CommitMessage, GitChange } from "./git-changes.js";
import type { Output } from "./outputs.js";

export type FileType = "file" | "link" | "folder";

/**
 * The type of a path. It is a regular file if `type` is absent, and had the same type before unless
 * `typeBefore` says otherwise: `{ type: "link", typeBefore: "file" }` is a file that becomes a link.
 */
export interface FileTypes {
    /** For a deleted path: its former type. A link's content is its target; a folder has none. */
    readonly type?: Exclude<FileType, "file">;
    /** Absent if the type stays, and for a new or deleted path. */
    readonly typeBefore?: FileType;
}

/** One file before and after. Contents are bytes: nothing is decoded on the way to the disk. */
export interface FileChange extends FileTypes {
    /** Relative to the repository root, with `/`. */
    readonly path: string;
    /** The content the change was computed from; `null` if the file does not exist. */
    readonly before: Uint8Array | null;
    /** SHA-256 of `before` in hex; `null` if the file does not exist. Verified before writing. */
    readonly beforeHash: string | null;
    /** The content to write; `null` deletes the file. */
    readonly after: Uint8Array | null;
    /** Ignored by git or by North, such as build output: counted, not shown. */
    readonly isIgnored?: boolean;
    /** The topmost ignored folder that contains it, ending with `/`. */
    readonly ignoredIn?: string;
    /** Permission bits after the change; defaults to the file's own, or to a new file's default. */
    readonly mode?: number;
    /** Set by North before the review: where it is really written, links resolved. */
    readonly realPath?: string;
    /** Set by North before the review: the name under which some program runs or obeys it later. */
    readonly runsAs?: string;
}

/** The type of a path after a change; for a deleted one, its former type. */
export function typeAfter({ type = "file" }: { readonly type?: FileType }): FileType {
    return type;
}

/** The type of a path before a change; for a new one, its new type. */
export function typeBefore({ type, typeBefore: other }: FileTypes): FileType {
    return other ?? type ?? "file";
}

/** Whether a folder is replaced by something else, or replaces it. */
export function isSwap(types: FileTypes): boolean {
    const before = typeBefore(types);
    const after = typeAfter(types);
    return before !== after && (before === "folder" || after === "folder");
}

/** `type` and `typeBefore` of a change between two types; one is absent if nothing is there. */
export function fileTypes(before: FileType | undefined, after: FileType | undefined): FileTypes {
    const type = after ?? before ?? "file";
    const isReplaced = before !== undefined && before !== type;
    return {
        ...(type !== "file" && { type }),
        ...(isReplaced && { typeBefore: before }),
    };
}

/** The names of a change for people: `docs/tasks.json, which is .vscode/tasks.json`. */
export function shownName({
    path,
    realPath = path,
    runsAs = path,
}: Pick<FileChange, "path" | "realPath" | "runsAs">): string {
    const real = realPath === path ? "" : `, which is ${realPath}`;
    return path + real + (runsAs === path || runsAs === realPath ? "" : `, also ${runsAs}`);
}

/** What a contained command did in git's folder, for the review. */
export interface GitChanges {
    readonly changes: readonly GitChange[];
    /** Of new commits and tags, where more than the title is new. */
    readonly messages?: readonly CommitMessage[];
    /** Committed or staged contents that are not the project's own: nobody has seen them. */
    readonly unseen: readonly FileChange[];
    /** Only commits on top of the checked-out branch, and staging, of contents that the project has. */
    readonly isPlain: boolean;
}

/**
 * All changes proposed by one write call, reviewed as a whole and applied byte for byte as
 * reviewed, or not at all. At most one change per path; if a folder is replaced by something else, or
 * replaces it, everything in the folder is a change of its own.
 */
export interface ChangeSet {
    readonly changes: readonly FileChange[];
    /** Set by North: what a contained command left in ignored paths. */
    readonly outputs?: readonly Output[];
    /** Set by North: what a contained command did in git's folder. */
    readonly git?: GitChanges;
}

/** `3 files`: new and deleted folders do not count beside the files in them. */
export function countedFiles(changes: readonly Pick<FileChange, "type">[]): string {
    const files = changes.filter(({ type }) => type !== "folder").length;
    return files > 0 ? counted(files, "file") : counted(changes.length, "folder");
}

/** A problem with a proposed change, or a note about it. */
export interface Finding {
    /** Relative to the root. */
    readonly path: string;
    /** 1-based, in the file as proposed. */
    readonly line?: number;
    readonly severity: "error" | "warning" | "info";
    /** One line. */
    readonly text: string;
    /** Refuses the change without asking the user; the model reads why. */
    readonly refuses?: boolean;
}

/** Formats a finding for the user and the model: `src/app.ts:3: error: text`. */
export function findingLine({ path, line, severity, text }: Finding): string {
    return `${path}${line === undefined ? "" : `:${line}`}: ${severity}: ${text}`;
}
