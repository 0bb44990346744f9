import { failure } from "../results.js";
import { encoded } from "./byte-text.js";
import { findAnchor, findEndAnchor, type AnchorLine } from "./find-anchor.js";
import { type Span, spliceLines } from "./lines.js";
import { edited, type EditableText, type TextEdit } from "./edit-tool.js";

interface AnchorEdit {
    readonly anchor: string;
    readonly content: string;
    readonly occurrence?: number;
}

interface BlockEdit extends AnchorEdit {
    readonly anchorEnd: string;
    readonly inclusive?: boolean;
}

const RANGES = {
    insert_before: ({ start }: AnchorLine): Span => ({ start, end: start }),
    insert_after: ({ next }: AnchorLine): Span => ({ start: next, end: next }),
    replace_line: ({ start, next }: AnchorLine): Span => ({ start, end: next }),
};

export type LineMode = keyof typeof RANGES;

export function editAt(text: EditableText, mode: LineMode, edit: AnchorEdit): TextEdit {
    const line = findAnchor(text, edit.anchor, edit.occurrence);
    return line.ok ? splice(text, RANGES[mode](line), line, edit) : line;
}

/** Replaces the lines between two anchors; `inclusive` also replaces the anchors' lines. */
export function replaceBetween(text: EditableText, edit: BlockEdit): TextEdit {
    const start = findAnchor(text, edit.anchor, edit.occurrence);
    if (!start.ok) return start;

    const end = findEndAnchor(text, start, edit);
    if (!end.ok) return end;

    if (edit.inclusive === true) {
        return splice(text, { start: start.start, end: end.next }, start, edit);
    }
    if (end.start !== start.start) {
        return splice(text, { start: start.next, end: end.start }, start, edit);
    }
    return failure(
        "anchors-on-one-line",
        `Both anchors are on the same line of ${text.path}, so there are no lines between them.`,
        "Replace the line itself (inclusive: true), or use edit_replace_exact."
    );
}

function splice(
    text: EditableText,
    range: Span,
    line: AnchorLine,
    { content }: AnchorEdit
): TextEdit {
    return edited(spliceLines(text.body, range, encoded(content), line.start));
}
