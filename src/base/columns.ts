interface ColumnOptions {
    readonly right?: readonly number[];
    /** A cell's width in terminal columns; defaults to its length. */
    widthOf?(cell: string): number;
}

/** Formats rows as lines with aligned columns, two spaces apart. */
export function alignColumns(
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
