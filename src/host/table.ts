import { textWidth } from "../chat/terminal/graphemes.js";

/** A column: its heading and on which side its cells stand. */
export interface Column {
    readonly heading: string;
    readonly align?: "left" | "right";
}

/** Rows as text in columns, with a heading; nothing at all for no rows. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    if (rows.length === 0) return "";
    const lines = [columns.map(({ heading }) => heading), ...rows];
    const widths = columns.map((_, index) =>
        Math.max(...lines.map((line) => textWidth(line[index] ?? "")))
    );
    return lines
        .map((line) =>
            columns
                .map(({ align }, index) => {
                    const cell = line[index] ?? "";
                    const padding = " ".repeat((widths[index] ?? 0) - textWidth(cell));
                    return align === "right" ? padding + cell : cell + padding;
                })
                .join("  ")
                .trimEnd()
        )
        .join("\n");
}
