import type { ChangeSet, FileChange } from "../../plugin/index.js";
import type { FileDiff } from "./approver.js";

/**
 * Where the smallest diff is not found within these, the changed part is shown as one replaced
 * block: the search is quadratic in the number of changed lines.
 */
const LIMITS = { maxEditLength: 5_000, timeout: 500 };

/** Unified diffs of a change set, for review. */
export async function diffsOf(changeSet: ChangeSet): Promise<readonly FileDiff[]> {
    const { structuredPatch } = await import("diff");
    return changeSet.changes.map((change) => {
        const kind = kindOf(change);
        const before = decoded(change.before);
        const after = decoded(change.after);
        if (before === undefined || after === undefined) {
            const diff = `Binary file, ${change.after?.byteLength ?? 0} bytes after the change.`;
            return { path: change.path, kind, diff, linesAdded: 0, linesRemoved: 0 };
        }
        const patch = structuredPatch(change.path, change.path, before, after, "", "", {
            context: 3,
            ...LIMITS,
        });
        const hunks = patch?.hunks ?? [wholeReplacement(before, after)];
        const lines = hunks.flatMap((hunk) => [header(hunk), ...hunk.lines]);
        return {
            path: change.path,
            kind,
            diff: lines.join("\n"),
            linesAdded: countStarting(hunks, "+"),
            linesRemoved: countStarting(hunks, "-"),
        };
    });
}

interface Hunk {
    readonly oldStart: number;
    readonly oldLines: number;
    readonly newStart: number;
    readonly newLines: number;
    readonly lines: readonly string[];
}

function kindOf(change: FileChange): FileDiff["kind"] {
    if (change.before === null) return "created";
    return change.after === null ? "deleted" : "modified";
}

function decoded(bytes: Uint8Array | null): string | undefined {
    if (bytes === null) return "";
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
}

function header({ oldStart, oldLines, newStart, newLines }: Hunk): string {
    return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
}

function countStarting(hunks: readonly Hunk[], sign: string): number {
    return hunks.reduce(
        (sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length,
        0
    );
}

/** Everything between what both have at their beginning and at their end. */
function wholeReplacement(before: string, after: string): Hunk {
    const removed = before.split("\n");
    const added = after.split("\n");
    const shorter = Math.min(removed.length, added.length);
    let head = 0;
    while (head < shorter && removed[head] === added[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail += 1;
    const old = removed.slice(head, removed.length - tail);
    const replacement = added.slice(head, added.length - tail);
    return {
        oldStart: head + 1,
        oldLines: old.length,
        newStart: head + 1,
        newLines: replacement.length,
        lines: [...old.map((line) => `-${line}`), ...replacement.map((line) => `+${line}`)],
    };
}
