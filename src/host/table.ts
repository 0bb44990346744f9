import { alignColumns } from "../base/columns.js";
import { fitMiddle, fitRow } from "../chat/render/rows.js";
import { textWidth } from "../chat/terminal/graphemes.js";
import { visibleLine } from "../base/safe-text.js";

/** A column heading; `right` aligns its cells to the right. */
type Column = string | { readonly right: string };

/** A server may name its models anything, at any length. */
const [MAX_CELL_WIDTH, MAX_CELL_LENGTH] = [200, 10_000];

/** Rows in columns below a heading, cut to the terminal's width. Empty for no rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return "";
    const headings = columns.map((column) => (typeof column === "string" ? column : column.right));
    const { isTTY, columns: width } = process.stdout;
    const right = columns.flatMap((column, index) => (typeof column === "string" ? [] : index));
    return (
        alignColumns([headings, ...rows.map((row) => row.map(cellOf))], {
            right,
            widthOf: textWidth,
        })
            // One screen row per table row.
            .map((row) => (isTTY ? fitRow(row, width) : row))
            .join("\n")
    );
}

function cellOf(text: string): string {
    return fitMiddle(visibleLine(text.slice(0, MAX_CELL_LENGTH)), MAX_CELL_WIDTH);
}
