import type { FileDiff } from "../../core/approval/approver.js";
import { diffRows, type DiffStyle } from "../render/diff/diff-lines.js";
import { stripControls } from "../terminal/safe-text.js";
import { foldLines } from "../render/fold.js";
import type { VerbatimLine } from "../render/verbatim.js";

/** Changes as they are decided about; the only file's name is in the title. */
export function diffBody(diffs: readonly FileDiff[], style: DiffStyle): VerbatimLine[] {
    const lines = diffRows(diffs, { ...style, isShortened: true });
    return foldLines(
        lines,
        ({ text, indent }) => stripControls(text).slice(Math.max(0, indent - 1)),
        (note) => ({ text: style.theme.quiet(`  ${note}`), indent: 2 })
    );
}
