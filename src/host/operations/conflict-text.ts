const SHOWN = 10;

/** `src/a.ts:3` and each side's lines below it, for the user. */
export function conflictText(
    path: string,
    line: number,
    sides: Readonly<Record<string, readonly string[]>>
): string {
    const width = Math.max(...Object.keys(sides).map((name) => name.length)) + 2;
    const rows = Object.entries(sides).flatMap(([name, lines]) => shown(name.padEnd(width), lines));
    return [`${path}:${line}`, ...rows].join("\n");
}

function shown(label: string, lines: readonly string[]): string[] {
    const rows = lines.length === 0 ? ["(nothing)"] : lines.slice(0, SHOWN);
    const more = lines.length > SHOWN ? [`(${lines.length - SHOWN} more)`] : [];
    const blank = " ".repeat(label.length);
    return [...rows, ...more].map((row, index) => `  ${index === 0 ? label : blank}${row}`);
}
