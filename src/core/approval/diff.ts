import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { counted } from "../../base/format.js";
import type { FileDiff } from "./approver.js";
import { changedPart } from "./changed-part.js";
import { compareLines } from "./compare-lines.js";
import { CONTEXT, hunksOf, linesOf, type DiffHunk } from "./hunks.js";

/** Unified diffs of a change set, for review. What git ignores is counted by folder. */
export function diffsOf({ changes }: ChangeSet): readonly FileDiff[] {
    return [
        ...changes.filter(({ isIgnored }) => !isIgnored).map(diffOf),
        ...ignoredFolders(changes.filter(({ isIgnored }) => isIgnored)),
    ];
}

function diffOf(change: FileChange): FileDiff {
    const note = noteOf(change);
    const diff = contentDiff(change);
    return note === undefined ? diff : { ...diff, note };
}

function contentDiff(change: FileChange): FileDiff {
    const { path, type } = change;
    const kind = kindOf(change);
    const [before, after] = [change.before ?? EMPTY, change.after ?? EMPTY];
    if (type !== undefined) return fileDiff(path, kind, []);
    if (before.includes(0) || after.includes(0)) {
        const diff = `Binary file, ${after.byteLength} bytes after the change.`;
        return { path, kind, diff, linesAdded: 0, linesRemoved: 0 };
    }
    const part = changedPart(before, after, CONTEXT);
    const stretches = compareLines(linesOf(part.before), linesOf(part.after));
    return fileDiff(path, kind, hunksOf(stretches, part.linesAbove));
}

/** What a change does beside the content of a file. */
function noteOf({ type, before, after, mode }: FileChange): string | undefined {
    const target = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const notes = [
        type === "folder" ? "a folder" : undefined,
        type === "link" && before ? `a link to ${target(before)}` : undefined,
        type === "link" && after ? `${before ? "now" : "a link"} to ${target(after)}` : undefined,
        // A new file's usual mode is no news.
        mode === undefined || (before === null && (mode & 0o7111) === 0 && type === undefined)
            ? undefined
            : `mode ${mode.toString(8)}`,
    ].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join(", ");
}

const NAMED = 5;

function ignoredFolders(changes: readonly FileChange[]): FileDiff[] {
    const groups = new Map<string, FileChange[]>();
    for (const change of changes) {
        const end = change.path.indexOf("/");
        const folder = end < 0 ? change.path : change.path.slice(0, end + 1);
        const group = groups.get(folder);
        if (group) group.push(change);
        else groups.set(folder, [change]);
    }
    return [...groups].map(([path, group]) => {
        const kinds = new Set(group.map(kindOf));
        const [kind = "modified"] = kinds;
        const names = group.slice(0, NAMED).map((change) => change.path.slice(path.length));
        const more = group.length > NAMED ? [`${group.length - NAMED} more`] : [];
        const listed = path.endsWith("/") ? `: ${[...names, ...more].join(", ")}` : "";
        const note = `${counted(group.length, "file")}, ignored by git${listed}`;
        return { ...fileDiff(path, kinds.size === 1 ? kind : "modified", []), note };
    });
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
