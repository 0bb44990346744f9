import { inColumns } from "../base/columns.js";
import { fitMiddle, fitRow } from "../chat/render/rows.js";
import { textWidth } from "../chat/terminal/graphemes.js";
import { visibleLine } from "../base/safe-text.js";

/** The heading of a column, whose cells may stand on the right. */
type Column = string | { readonly right: string };

/** A server may call its models anything, at any length. */
const [WIDEST_CELL, LONGEST_CELL] = [200, 10_000];

/** Rows as text in columns, with a heading, as wide as the terminal; nothing at all for no rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return "";
    const headings = columns.map((column) => (typeof column === "string" ? column : column.right));
    const { isTTY, columns: width } = process.stdout;
    const right = columns.flatMap((column, index) => (typeof column === "string" ? [] : index));
    return (
        inColumns([headings, ...rows.map((row) => row.map(cellOf))], {
            right,
            widthOf: textWidth,
        })
            // A row of two lines would look like two rows.
            .map((row) => (isTTY ? fitRow(row, width) : row))
            .join("\n")
    );
}

function cellOf(text: string): string {
    return fitMiddle(visibleLine(text.slice(0, LONGEST_CELL)), WIDEST_CELL);
}
