import { groupBy } from "../../base/group-by.js";
import type {
    ChangeSet,
    CommitMessage,
    FileChange,
    FileType,
    GitChange,
    Output,
} from "../../plugin/index.js";
import { outputCount } from "../../plugin/outputs.js";
import { sha256 } from "../../base/sha256.js";
import { isBinary } from "../../base/binary.js";
import { foldersAbove } from "../../base/paths.js";
import { countedFiles, shownName, typeAfter, typeBefore } from "../../plugin/change-set.js";
import { nameRunLater } from "../../plugin/runs-later.js";
import { compareLines } from "./compare-lines.js";
import { CONTEXT, hunksOf, linesOf, type DiffHunk } from "./hunks.js";

/** A file's change as text for the user. `shownName` names it. */
export interface FileDiff extends Pick<FileChange, "path" | "realPath" | "runsAs"> {
    /** Unified diff, or sentences if the content is not text. */
    readonly diff: string;
    readonly linesAdded: number;
    readonly linesRemoved: number;
    readonly kind: "created" | "modified" | "deleted";
    /** What lines do not show: a mode, a link's target, the contents of an ignored folder. */
    readonly note?: string;
    /** Of files that git ignores, which are counted and not compared. */
    readonly count?: string;
    /** Not a file but something in git's folder; its path says what. */
    readonly isGit?: true;
}

/** Unified diffs of all files of a change set, ignored ones too. */
export function allDiffsOf({ changes }: ChangeSet): readonly FileDiff[] {
    const implied = impliedFolders(changes);
    return diffsOfAll(changes.filter((change) => !implied.has(change)));
}

/** For review: ignored files are only counted, by folder, and those that run later listed. */
export function diffsOf({ changes, outputs = [], git }: ChangeSet): readonly FileDiff[] {
    const implied = impliedFolders(changes);
    const shown = changes.filter((change) => !implied.has(change));
    return [
        ...(git?.changes ?? []).map(gitDiff),
        ...(git?.messages ?? []).map(messageDiff),
        ...(git?.unseen ?? []).map(unseenDiff),
        ...diffsOfAll(shown.filter(({ isIgnored }) => !isIgnored)),
        ...ignoredFolders(shown.filter(({ isIgnored }) => isIgnored)),
        ...outputs.map(outputDiff),
    ];
}

function outputDiff(output: Output): FileDiff {
    const { path, names, files } = output;
    const count = outputCount(output);
    const listed = listedNames(
        path.endsWith("/") ? names : names.filter((name) => name !== path),
        files
    );
    const note = `${count}, ignored${listed}`;
    return { ...fileDiff(path, "modified", []), note, count };
}

function gitDiff({ what, detail = "" }: GitChange): FileDiff {
    return { ...fileDiff(what, "modified", []), ...(detail && { note: detail }), isGit: true };
}

function messageDiff({ of, text }: CommitMessage): FileDiff {
    const after = Buffer.from(`${text}\n`);
    const change = { path: `Message of ${of}`, before: null, beforeHash: null, after };
    return { ...contentDiff(change), kind: "modified", isGit: true };
}

function unseenDiff(change: FileChange): FileDiff {
    const notes = [noteOf(change), "in git, not in the project"].filter(Boolean);
    return { ...contentDiff(change), note: notes.join(", "), isGit: true };
}

function listedNames(names: readonly string[], files: number): string {
    const shown = names.slice(0, MAX_NAMED);
    const more = files > shown.length && shown.length > 0 ? [`${files - shown.length} more`] : [];
    return shown.length === 0 ? "" : `: ${[...shown, ...more].join(", ")}`;
}

/** Folders that come or go with something in them, and have no unusual permissions. */
function impliedFolders(changes: readonly FileChange[]): ReadonlySet<FileChange> {
    const parents = new Set(
        changes.flatMap((change) =>
            foldersAbove(change.path).map((folder) => `${kindOf(change)} ${folder}`)
        )
    );
    const folders = changes.filter(
        ({ type, typeBefore: other, mode }) =>
            type === "folder" && other === undefined && !isUnusual(mode)
    );
    return new Set(folders.filter((change) => parents.has(`${kindOf(change)} ${change.path}`)));
}

/** Of a folder, with either usual umask. */
function isUnusual(mode = 0o755): boolean {
    return mode !== 0o755 && mode !== 0o775;
}

function diffsOfAll(changes: readonly FileChange[]): FileDiff[] {
    const moves = movesIn(changes);
    return changes.map((change) => {
        const note = [moves.get(change), noteOf(change)].filter(Boolean).join(", ");
        return { ...contentDiff(change), ...otherNamesOf(change), ...(note !== "" && { note }) };
    });
}

/** Where the content of a file went, or came from, if it is the same byte for byte. */
function movesIn(changes: readonly FileChange[]): ReadonlyMap<FileChange, string> {
    const files = changes.filter(({ type, typeBefore: was }) => (type ?? was) === undefined);
    const notes = new Map<FileChange, string>();
    const gone = new Map<string, FileChange>();
    for (const change of files) {
        if (change.after === null && change.before) gone.set(sha256(change.before), change);
    }
    if (gone.size === 0) return notes;
    for (const change of files) {
        if (change.before !== null || !change.after?.byteLength) continue;
        const hash = sha256(change.after);
        const from = gone.get(hash);
        if (!from) continue;
        gone.delete(hash);
        notes.set(change, `moved from ${from.path}`).set(from, `moved to ${change.path}`);
    }
    return notes;
}

/** Shown together with the path. */
export function otherNamesOf({ realPath, runsAs }: FileChange): Partial<FileDiff> {
    return { realPath, runsAs };
}

function contentDiff(change: FileChange): FileDiff {
    const { path, type } = change;
    const kind = kindOf(change);
    const after = type === undefined ? (change.after ?? EMPTY) : EMPTY;
    const before = textBefore(change);
    if (isBinary(after) || (isBinary(change.before ?? EMPTY) && change.after === null)) {
        const diff = `Binary file, ${after.byteLength} bytes after the change.`;
        return { path, kind, diff, linesAdded: 0, linesRemoved: 0 };
    }
    const part = changedPart(before, after, CONTEXT);
    const segments = compareLines(linesOf(part.before), linesOf(part.after));
    const name = type === "folder" ? `${path}/` : path;
    return fileDiff(name, kind, hunksOf(segments, part.linesAbove));
}

/** The lines to compare with: none of what was no text, which must not hide the text in its place. */
function textBefore(change: FileChange): Uint8Array {
    const { before } = change;
    return typeBefore(change) === "file" && before && !isBinary(before) ? before : EMPTY;
}

/** Changes other than to a regular file's content. */
function noteOf(change: FileChange): string | undefined {
    const { type, before, after, mode } = change;
    const wasBinary = type === undefined && before && isBinary(before) && after && !isBinary(after);
    const target = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const described = (each: FileType, bytes: Uint8Array | null) =>
        each === "link" ? `a link to ${target(bytes ?? EMPTY)}` : `a ${each}`;
    const isLink = type === "link" && change.typeBefore === undefined;
    const notes = [
        wasBinary && !change.typeBefore ? "was a binary file" : undefined,
        change.typeBefore && `was ${described(change.typeBefore, before)}`,
        change.typeBefore && `now ${described(typeAfter(change), after)}`,
        isLink && before ? described(type, before) : undefined,
        isLink && after ? `${before ? "now" : "a link"} to ${target(after)}` : undefined,
        mode === undefined || hasUsualMode(before, mode, type)
            ? undefined
            : `mode ${mode.toString(8)}`,
    ].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join(", ");
}

/** The usual mode of something new is no news. */
function hasUsualMode(before: Uint8Array | null, mode: number, type: FileChange["type"]): boolean {
    if (before !== null) return false;
    return type === "folder" ? !isUnusual(mode) : type === undefined && (mode & 0o7111) === 0;
}

const MAX_NAMED = 5;

function ignoredFolders(changes: readonly FileChange[]): FileDiff[] {
    const groups = groupBy(changes, (change) => {
        const path = change.type === "folder" ? `${change.path}/` : change.path;
        return change.ignoredIn ?? (path.slice(0, path.indexOf("/") + 1) || path);
    });
    return [...groups].map(([path, group]) => {
        const kinds = new Set(group.map(kindOf));
        const [kind = "modified"] = kinds;
        const names = group.map((change) => change.path.slice(path.length)).filter(Boolean);
        const count = countedFiles(group);
        const note = `${count}, ignored${listedNames(names, names.length)}`;
        const diff = group.flatMap((change) => laterLine(change, path) ?? []).join("\n");
        return { ...fileDiff(path, kinds.size === 1 ? kind : "modified", []), note, diff, count };
    });
}

/** `.bin/eslint: new, a link to ../eslint/cli.js` */
function laterLine(change: FileChange, folder: string): string | undefined {
    if (change.type === "folder" || nameRunLater(change) === undefined) return undefined;
    const words = { created: "new", modified: "changed", deleted: "deleted" };
    const name = shownName(change).slice(change.path === folder ? 0 : folder.length);
    const line = [`${name}: ${words[kindOf(change)]}`, noteOf(change)].filter(Boolean).join(", ");
    return line.replaceAll("\n", "^J");
}

export function fileDiff(
    path: string,
    kind: FileDiff["kind"],
    hunks: readonly DiffHunk[]
): FileDiff {
    return {
        path,
        kind,
        diff: hunks.flatMap(({ header, lines }) => [header, ...lines]).join("\n"),
        linesAdded: hunks.reduce((sum, hunk) => sum + hunk.linesAdded, 0),
        linesRemoved: hunks.reduce((sum, hunk) => sum + hunk.linesRemoved, 0),
    };
}

const EMPTY = new Uint8Array();

function kindOf(change: FileChange): FileDiff["kind"] {
    if (change.before === null) return "created";
    return change.after === null ? "deleted" : "modified";
}

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Two versions of a text without their common beginning and end. */
interface ChangedPart {
    readonly before: Uint8Array;
    readonly after: Uint8Array;
    /** Number of lines omitted above. */
    readonly linesAbove: number;
}

/** The changed lines with `context` equal ones around them; avoids splitting a large file. */
function changedPart(before: Uint8Array, after: Uint8Array, context: number): ChangedPart {
    const shorter = Math.min(before.length, after.length);
    const changeStart = lineStart(before, equalAbove(before, after, shorter));
    const equalBytes = equalBelow(before, after, shorter - changeStart);
    let start = changeStart;
    for (let line = 0; line < context; line += 1) start = lineStart(before, start - 1);
    // The first of the equal bytes may be in the middle of a changed line.
    let end = before.length - equalBytes;
    for (let line = 0; line <= context && end < before.length; line += 1) {
        const feed = before.indexOf(LINE_FEED, end);
        end = feed < 0 ? before.length : feed + 1;
    }
    const below = before.length - end;
    return {
        before: before.subarray(start, end),
        after: after.subarray(start, after.length - below),
        linesAbove: countLines(before, start),
    };
}

function lineStart(bytes: Uint8Array, offset: number): number {
    return offset <= 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
}

function equalAbove(before: Uint8Array, after: Uint8Array, most: number): number {
    let at = 0;
    while (at < most) {
        const end = Math.min(at + CHUNK_BYTES, most);
        if (Buffer.compare(before.subarray(at, end), after.subarray(at, end)) !== 0) break;
        at = end;
    }
    while (at < most && before[at] === after[at]) at += 1;
    return at;
}

function equalBelow(before: Uint8Array, after: Uint8Array, most: number): number {
    const part = (bytes: Uint8Array, from: number, to: number) =>
        bytes.subarray(bytes.length - to, bytes.length - from);
    let count = 0;
    while (count < most) {
        const next = Math.min(count + CHUNK_BYTES, most);
        if (Buffer.compare(part(before, count, next), part(after, count, next)) !== 0) break;
        count = next;
    }
    while (count < most && before.at(-1 - count) === after.at(-1 - count)) count += 1;
    return count;
}

function countLines(bytes: Uint8Array, end: number): number {
    let lines = 0;
    for (let index = 0; index < end; index += 1) if (bytes[index] === LINE_FEED) lines += 1;
    return lines;
}
