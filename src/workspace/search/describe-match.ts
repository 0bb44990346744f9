import type { SearchMatch } from "../../plugin/workspace.js";
import { showable } from "./decode-line.js";

/** In UTF-16 units; enough for any line that was written by hand. */
const MAX_SHOWN = 300;
const SHOWN_BEFORE = 100;
const BYTE_ORDER_MARK = "\uFEFF";

/** Tells of the first match in a line, which comes as it was decoded, without its line feed. */
export function describeMatch(
    path: string,
    line: number,
    text: string,
    found: { readonly start: number; readonly end: number }
): SearchMatch {
    const shown = line === 1 ? withoutMark(text) : text;
    const start = Math.max(found.start - (text.length - shown.length), 0);
    return {
        path,
        line,
        column: countPoints(shown, start) + 1,
        preview: cutLine(shown, start),
    };
}

/** The first line of a file as people count its characters. */
export function withoutMark(text: string): string {
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** A line as it is shown: without the CR of CR LF, and cut around `focus` where it is long. */
export function cutLine(line: string, focus = 0): string {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text.length <= MAX_SHOWN) return showable(text);

    const wanted = Math.max(Math.min(focus - SHOWN_BEFORE, text.length - MAX_SHOWN), 0);
    const start = wanted + (isSecondHalf(text, wanted) ? 1 : 0);
    const last = start + MAX_SHOWN;
    const end = last - (isSecondHalf(text, last) ? 1 : 0);
    const cut = showable(text.slice(start, end));
    return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}

function countPoints(text: string, end: number): number {
    let count = end;
    for (let index = 1; index < end; index++) if (isSecondHalf(text, index)) count -= 1;

    return count;
}

/** Whether the unit at `index` is the second of a character that takes two. */
function isSecondHalf(text: string, index: number): boolean {
    const unit = text.charCodeAt(index);
    const before = text.charCodeAt(index - 1);
    return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
