export interface ColumnOptions {
    /** The indexes of columns that are aligned to the right. */
    readonly right?: readonly number[];
    /** The columns a cell takes in a terminal; its length if absent. */
    widthOf?(cell: string): number;
}

/** Rows as lines in which cells of a column are as wide as the widest, two spaces apart. */
export function inColumns(
    rows: readonly (readonly string[])[],
    { right = [], widthOf = (cell) => cell.length }: ColumnOptions = {}
): string[] {
    const widths: number[] = [];
    for (const row of rows) {
        row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
    }
    return rows.map((row) => {
        const cells = row.map((cell, at) => {
            const padding = " ".repeat((widths[at] ?? 0) - widthOf(cell));
            return right.includes(at) ? padding + cell : cell + padding;
        });
        return cells.join("  ").trimEnd();
    });
}
