import { NorthError } from "../../base/north-error.js";
import { compareLines } from "../../core/diff/compare-lines.js";
import { linesOf } from "../../core/diff/hunks.js";
import type { WrittenLine } from "../../core/history/blame.js";
import type { PlannedUndo } from "../../plugin/index.js";
import { currentFile } from "../../workspace/current-file.js";
import { plannedUndo, type UndoHost } from "./undo-changes.js";

/**
 * Removes lines that one change wrote from the current file, and restores what they replaced.
 * Rejects with `drop-conflict` if later work changed the same lines.
 */
export async function prepareLineDrop(
    host: UndoHost,
    path: string,
    lines: readonly [WrittenLine, ...WrittenLine[]]
): Promise<Pick<PlannedUndo, "changeSet" | "apply">> {
    const { contents } = host.project;
    const [{ change, path: there }] = lines;
    const file = change.change.files.find((each) => each.path === there);
    const now = await currentFile(host.root, path);
    if (!file?.afterHash || !now) {
        throw new NorthError("drop-conflict", `${path} has changed.`);
    }
    const base = await contents.get(file.afterHash);
    const before = file.beforeHash === null ? undefined : await contents.get(file.beforeHash);
    const wanted = new Set(lines.map(({ line }) => line - 1));
    let at = 0;
    const mine = compareLines(before ? linesOf(before) : [], linesOf(base)).flatMap((segment) => {
        const first = at;
        at += segment.after.length;
        if (segment.isEqual) return segment.after;
        const left = segment.after.filter((_, index) => !wanted.has(first + index));
        // What is left of a replacement stands for what it replaced.
        return left.length === 0 ? segment.before : left;
    });
    const { mergeLines } = await import("../../core/history/merge-lines.js");
    const merged = mergeLines({
        base,
        mine: Buffer.from(mine.join(""), "latin1"),
        now: now.bytes,
    });
    if (merged.conflicts.length > 0) {
        throw new NorthError("drop-conflict", `Later work changed the same lines of ${path}.`, [
            "Edit the file, or drop the later turn first: `north turns` lists them.",
        ]);
    }
    const after = merged.bytes.length === 0 && before === undefined ? null : merged.bytes;
    const dropped = { path, before: now.bytes, beforeHash: now.hash, after };
    return plannedUndo(host, { changes: [dropped] }, { undoes: [], isRedo: false });
}
