import { inColumns } from "../base/columns.js";
import { fitMiddle, fitRow } from "../chat/render/rows.js";
import { textWidth } from "../chat/terminal/graphemes.js";
import { visibleLine } from "../base/safe-text.js";

/** A column: its heading and on which side its cells stand. */
export interface Column {
    readonly heading: string;
    readonly align?: "left" | "right";
}

/** A server may call its models anything, at any length. */
const [WIDEST_CELL, LONGEST_CELL] = [200, 10_000];

/** Rows as text in columns, with a heading, as wide as the terminal; nothing at all for no rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return "";
    const headings = columns.map(({ heading }) => heading);
    const { isTTY, columns: width } = process.stdout;
    const right = columns.flatMap(({ align }, index) => (align === "right" ? index : []));
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
