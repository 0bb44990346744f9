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

/** `1 file`, `12 files`, `50 files+` where there are more than are shown. */
export function counted(
    count: number,
    noun: string,
    truncated = false,
    plural = `${noun}s`
): string {
    return `${count} ${count === 1 ? noun : plural}${truncated ? "+" : ""}`;
}
