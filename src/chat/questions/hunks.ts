import type { FileDiff } from "../../core/approval/approver.js";
import { compareLines } from "../../core/approval/compare-lines.js";
import { fileDiff } from "../../core/approval/diff.js";
import { hunksOf, linesOf } from "../../core/approval/hunks.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";

export interface Hunk {
    readonly path: string;
    /** `@@ -1,3 +1,4 @@` */
    readonly header: string;
    readonly diff: FileDiff;
}

export interface SplitChanges {
    readonly hunks: readonly Hunk[];
    /** The change set with only these hunks; empty without any. */
    compose(accepted: ReadonlySet<Hunk>): ChangeSet;
}

interface SplitFile {
    readonly hunks: readonly Hunk[];
    compose(accepted: ReadonlySet<Hunk>): FileChange | undefined;
}

/** By bytes, so that line endings survive. A created, deleted or binary file is one hunk. */
export function splitChanges(changeSet: ChangeSet, diffs: readonly FileDiff[]): SplitChanges {
    const shown = new Map(diffs.map((diff) => [diff.path, diff]));
    const files = changeSet.changes.map((change) => splitFile(change, shown.get(change.path)));
    return {
        hunks: files.flatMap(({ hunks }) => hunks),
        compose: (accepted) => ({
            changes: files.flatMap((file) => file.compose(accepted) ?? []),
        }),
    };
}

function splitFile(change: FileChange, shown: FileDiff | undefined): SplitFile {
    const { path, before, after } = change;
    const isText = before && after && !before.includes(0) && !after.includes(0);
    const stretches = isText ? compareLines(linesOf(before), linesOf(after)) : [];
    const parts = hunksOf(stretches);
    // Includes a change of the mode alone, which has no lines.
    if (parts.length === 0) return wholeFile(change, shown);
    const hunks = parts.map((part) => ({
        path,
        header: part.header,
        diff: fileDiff(path, "modified", [part]),
    }));
    return {
        hunks,
        compose(accepted) {
            const chosen = new Set(
                parts.flatMap((part, index) => {
                    const hunk = hunks[index];
                    return hunk && accepted.has(hunk) ? part.stretches : [];
                })
            );
            if (chosen.size === 0) return undefined;
            const lines = stretches.flatMap((stretch, index) =>
                stretch.isEqual || chosen.has(index) ? stretch.after : stretch.before
            );
            return { ...change, after: Buffer.from(lines.join(""), "latin1") };
        },
    };
}

function wholeFile(change: FileChange, shown: FileDiff | undefined): SplitFile {
    const { path } = change;
    const nothing = { path, diff: "", linesAdded: 0, linesRemoved: 0, kind: "modified" } as const;
    const hunk: Hunk = { path, header: "(the whole file)", diff: shown ?? nothing };
    return { hunks: [hunk], compose: (accepted) => (accepted.has(hunk) ? change : undefined) };
}
