import { inColumns } from "../base/columns.js";
import { textWidth } from "../chat/terminal/graphemes.js";

/** A column: its heading and on which side its cells stand. */
export interface Column {
    readonly heading: string;
    readonly align?: "left" | "right";
}

/** Rows as text in columns, with a heading; nothing at all for no rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return "";
    const headings = columns.map(({ heading }) => heading);
    const right = columns.flatMap(({ align }, index) => (align === "right" ? index : []));
    return inColumns([headings, ...rows], { right, widthOf: textWidth }).join("\n");
}
