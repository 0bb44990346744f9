import type { ToolFailure } from "../../../plugin/index.js";
import { failure } from "../results.js";
import { encoded } from "./byte-text.js";
import { findAnchor, findEndAnchor, type AnchorLine } from "./find-anchor.js";
import { spliceLines, type LineRange } from "./splice-lines.js";
import { edited, type EditableText, type TextEdit } from "./text-edit.js";

/** One anchor and what to put at its line. */
export interface AnchorEdit {
    readonly anchor: string;
    readonly content: string;
    readonly occurrence?: number;
}

/** Two anchors and what to put between them. */
export interface BlockEdit extends AnchorEdit {
    readonly anchorEnd: string;
    readonly inclusive?: boolean;
}

export function insertBefore(text: EditableText, edit: AnchorEdit): TextEdit {
    return atAnchor(text, edit, ({ start }) => ({ start, end: start }));
}

export function insertAfter(text: EditableText, edit: AnchorEdit): TextEdit {
    return atAnchor(text, edit, ({ next }) => ({ start: next, end: next }));
}

export function replaceLine(text: EditableText, edit: AnchorEdit): TextEdit {
    return atAnchor(text, edit, ({ start, next }) => ({ start, end: next }));
}

/** Replaces the lines between two anchors, with `inclusive` their own lines as well. */
export function replaceBetween(text: EditableText, edit: BlockEdit): TextEdit {
    const start = findAnchor(text, edit.anchor, edit.occurrence);
    if (!start.ok) return start;

    const end = findEndAnchor(text, start, edit);
    if (!end.ok) return end;

    if (edit.inclusive === true) {
        return splice(text, { start: start.start, end: end.next }, start, edit);
    }

    if (end.start === start.start) return onOneLine(text);

    return splice(text, { start: start.next, end: end.start }, start, edit);
}

function atAnchor(
    text: EditableText,
    edit: AnchorEdit,
    range: (line: AnchorLine) => LineRange
): TextEdit {
    const line = findAnchor(text, edit.anchor, edit.occurrence);
    return line.ok ? splice(text, range(line), line, edit) : line;
}

function splice(
    text: EditableText,
    range: LineRange,
    line: AnchorLine,
    { content }: AnchorEdit
): TextEdit {
    return edited(spliceLines(text.body, range, encoded(content), line.start));
}

function onOneLine(text: EditableText): ToolFailure {
    return failure(
        "anchors-on-one-line",
        `Both anchors are on the same line of ${text.path}, so there are no lines between them.`,
        "Replace the line itself (inclusive: true), or use edit_replace_exact."
    );
}
