import type { LineRange } from "../../../code/text/line-range.js";

const MAX_QUOTE_LENGTH = 60;

/** A model's text in an intent line: one line, quoted, not too long. */
export function quoted(text: string): string {
    const line = text.replace(/\s+/g, " ");
    return `"${line.length > MAX_QUOTE_LENGTH ? `${line.slice(0, MAX_QUOTE_LENGTH)}…` : line}"`;
}

/** ` 10-60` behind a file's name; nothing without a range. */
export function rangeSuffix(range: LineRange | undefined): string {
    return range === undefined ? "" : ` ${range.start}-${range.end}`;
}
