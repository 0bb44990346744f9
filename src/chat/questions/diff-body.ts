import type { FileDiff } from "../../core/diff/diff.js";
import { diffRows, type DiffStyle } from "../render/diff/diff-lines.js";
import { stripControls } from "../../base/safe-text.js";
import { foldRepeatedLines } from "../render/fold.js";
import type { VerbatimLine } from "../render/rows.js";

const NO_NEWLINE = "\\ No newline at end of file";
const NO_NEWLINE_MARK = "⟨no⏎⟩";

/** Diff rows for a question. A single file is named in the title. */
export function diffBody(diffs: readonly FileDiff[], style: DiffStyle): VerbatimLine[] {
    const body: VerbatimLine[] = [];
    for (const row of diffRows(diffs, { ...style, isShortened: true })) {
        const last = body.at(-1);
        // Append the missing newline to the last row of the change.
        const isNote = last && stripControls(row.text).trim() === NO_NEWLINE;
        if (isNote) body[body.length - 1] = { ...last, text: last.text + NO_NEWLINE_MARK };
        else body.push(row);
    }
    return foldRepeatedLines(
        body,
        // What is left out of long lines may differ.
        (line) =>
            line.hiddenCharacters
                ? line
                : stripControls(line.text).slice(Math.max(0, line.indent - 1)),
        (note, copies) => ({
            text: style.theme.quiet(`  ${note}`),
            indent: 2,
            added: copies.flatMap(({ added = [] }) => added),
            // Blank lines need not be beside it.
            isCount: !note.includes("⏎"),
        })
    );
}
