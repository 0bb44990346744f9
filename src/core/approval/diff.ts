import type { ChangeSet, FileChange } from "../../plugin/index.js";
import type { FileDiff } from "./approver.js";
import { compareLines } from "./compare-lines.js";
import { hunksOf, linesOf, type DiffHunk } from "./hunks.js";

export function diffsOf(changeSet: ChangeSet): readonly FileDiff[] {
    return changeSet.changes.map((change) => {
        const kind = kindOf(change);
        const [before, after] = [change.before ?? EMPTY, change.after ?? EMPTY];
        if (before.includes(0) || after.includes(0)) {
            const diff = `Binary file, ${after.byteLength} bytes after the change.`;
            return { path: change.path, kind, diff, linesAdded: 0, linesRemoved: 0 };
        }
        const hunks = hunksOf(compareLines(linesOf(before), linesOf(after)));
        return fileDiff(change.path, kind, hunks);
    });
}

/** These hunks of a file as a diff. */
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
