import { firstWords } from "../../../base/format.js";
import type { LineRange } from "../../../code/text/line-range.js";

const MAX_QUOTE_LENGTH = 60;

/** Quotes a model's text for an intent line: one line, shortened. */
export function quoted(text: string): string {
    const shown = firstWords(text, MAX_QUOTE_LENGTH);
    return /^".*"$/.test(shown) ? shown : `"${shown}"`;
}

/** Returns ` 10-60` to follow a file name; empty without a range. */
export function rangeSuffix(range: LineRange | undefined): string {
    return range === undefined ? "" : ` ${range.start}-${range.end}`;
}
