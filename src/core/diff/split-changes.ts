import { isBinary } from "../../base/binary.js";
import { foldersAbove } from "../../base/paths.js";
import { isSwap } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { compareLines } from "./compare-lines.js";
import { fileDiff, otherNamesOf, type FileDiff } from "./diff.js";
import { hunksOf, linesOf } from "./hunks.js";

export interface Hunk {
    readonly path: string;
    /** `@@ -1,3 +1,4 @@` */
    readonly header: string;
    readonly diff: FileDiff;
}

interface SplitChanges {
    readonly hunks: readonly Hunk[];
    compose(accepted: ReadonlySet<Hunk>): ChangeSet;
}

interface SplitFile {
    readonly hunks: readonly Hunk[];
    compose(accepted: ReadonlySet<Hunk>): readonly FileChange[];
}

/** Works on bytes to keep line endings. A created, deleted or binary file is one hunk. */
export function splitChanges(changeSet: ChangeSet, diffs: readonly FileDiff[]): SplitChanges {
    const shown = new Map(diffs.map((diff) => [diff.path, diff]));
    const { changes } = changeSet;
    const swaps = new Set(changes.filter(isSwap).map(({ path }) => path));
    const insideOf = new Map<string, FileChange[]>();
    const own = changes.filter((change) => {
        const swap = foldersAbove(change.path).find((folder) => swaps.has(folder));
        if (swap !== undefined) insideOf.set(swap, [...(insideOf.get(swap) ?? []), change]);
        return swap === undefined;
    });
    const files = own.map((change) => {
        const name = change.type === "folder" ? `${change.path}/` : change.path;
        return splitFile(change, shown.get(name), insideOf.get(change.path) ?? []);
    });
    return {
        hunks: files.flatMap(({ hunks }) => hunks),
        compose: (accepted) => ({
            changes: files.flatMap((file) => file.compose(accepted)),
        }),
    };
}

/** `inside`: what moves with a folder that comes or goes. */
function splitFile(
    change: FileChange,
    shown: FileDiff | undefined,
    inside: readonly FileChange[]
): SplitFile {
    const { path, before, after } = change;
    const isFile = change.type === undefined && change.typeBefore === undefined;
    const isText = isFile && before && after && !isBinary(before) && !isBinary(after);
    const segments = isText ? compareLines(linesOf(before), linesOf(after)) : [];
    const parts = hunksOf(segments);
    // Also a mode change, which has no lines.
    if (parts.length === 0) {
        const nothing = { path, diff: "", linesAdded: 0, linesRemoved: 0 };
        const diff: FileDiff = shown ?? { ...nothing, kind: "modified" };
        const hunk = { path, header: "(the whole file)", diff };
        return {
            hunks: [hunk],
            compose: (accepted) => (accepted.has(hunk) ? [change, ...inside] : []),
        };
    }
    const hunks = parts.map((part) => ({
        path,
        header: part.header,
        diff: { ...shown, ...fileDiff(path, "modified", [part]), ...otherNamesOf(change) },
    }));
    return {
        hunks,
        compose(accepted) {
            const chosen = new Set(
                parts.flatMap((part, index) => {
                    const hunk = hunks[index];
                    return hunk && accepted.has(hunk) ? part.segments : [];
                })
            );
            if (chosen.size === 0) return [];
            const lines = segments.flatMap((segment, index) =>
                segment.isEqual || chosen.has(index) ? segment.after : segment.before
            );
            return [{ ...change, after: Buffer.from(lines.join(""), "latin1") }];
        },
    };
}
