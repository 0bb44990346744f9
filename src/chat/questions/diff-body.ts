import type { FileDiff } from "../../core/approval/approver.js";
import { diffRows, type DiffStyle } from "../render/diff/diff-lines.js";
import { stripControls } from "../../base/safe-text.js";
import { foldLines } from "../render/fold.js";
import type { VerbatimLine } from "../render/rows.js";

const NO_NEWLINE = "\\ No newline at end of file";
const NO_NEWLINE_MARK = "⟨no⏎⟩";

/** Changes as they are decided about; the only file's name is in the title. */
export function diffBody(diffs: readonly FileDiff[], style: DiffStyle): VerbatimLine[] {
    const rows = diffRows(diffs, { ...style, isShortened: true });
    const isHeader = ({ text }: VerbatimLine): boolean => stripControls(text).startsWith("@@ ");
    // The rows have numbers: where a single hunk is needs no row of its own.
    const isSingle = diffs.length === 1 && rows.filter(isHeader).length === 1;
    const body: VerbatimLine[] = [];
    for (const row of isSingle ? rows.filter((each) => !isHeader(each)) : rows) {
        const last = body.at(-1);
        // Its last row is what the change ends with.
        const isNote = last && stripControls(row.text).trim() === NO_NEWLINE;
        if (isNote) body[body.length - 1] = { ...last, text: last.text + NO_NEWLINE_MARK };
        else body.push(row);
    }
    return foldLines(
        body,
        ({ text, indent }) => stripControls(text).slice(Math.max(0, indent - 1)),
        (note) => ({ text: style.theme.quiet(`  ${note}`), indent: 2 })
    );
}
