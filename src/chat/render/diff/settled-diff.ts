import type { FileDiff } from "../../../core/approval/approver.js";
import { counted } from "../../../base/format.js";
import { wrapVerbatim } from "../verbatim.js";
import { diffRows, type DiffStyle } from "./diff-lines.js";

/** More of a change is in the file. */
const MOST_LINES = 40;

/** A change as it stays in the transcript, below the line that names its file. */
export function settledDiff(
    diffs: readonly FileDiff[],
    style: DiffStyle,
    columns: number
): string[] {
    const lines = diffRows(diffs, { ...style, isShortened: true });
    const shown = lines.slice(0, lines.length > MOST_LINES ? MOST_LINES : undefined);
    const rows = shown.flatMap((line) => wrapVerbatim(line, columns - 2));
    const more = lines.length - shown.length;
    const note = more > 0 ? [style.theme.quiet(`… ${counted(more, "more line")}`)] : [];
    return [...rows, ...note].map((row) => `  ${row}`);
}
