import { textWidth } from "../../terminal/graphemes.js";
import type { Theme } from "../../terminal/theme.js";
import { renderInline } from "./inline.js";

type Alignment = "left" | "right" | "center";

/** Whether a line could be a row of a table. */
export function looksLikeRow(line: string): boolean {
    return /^\s{0,3}\|.*\S/.test(line);
}

/** Whether a line is the one between the head and the body of a table. */
export function isDelimiterRow(line: string): boolean {
    return /^\s{0,3}\|(\s*:?-+:?\s*\|)+\s*$/.test(line.endsWith("|") ? line : `${line}|`);
}

/** The lines of a table (head, delimiter, body) with their columns aligned. */
export function renderTable(lines: readonly string[], theme: Theme): string[] {
    const [head = [], delimiter = [], ...body] = lines.map(cellsOf);
    const alignments = delimiter.map(alignmentOf);
    const render = (cells: readonly string[], style = (text: string) => text): string[] =>
        Array.from({ length: Math.max(head.length, cells.length) }, (_, index) =>
            style(renderInline(cells[index] ?? "", { theme, isGrowing: false }))
        );
    const rows = [render(head, theme.strong), ...body.map((cells) => render(cells))];
    const columns = Math.max(...rows.map((row) => row.length));
    const widths = Array.from({ length: columns }, (_, index) =>
        Math.max(3, ...rows.map((row) => textWidth(row[index] ?? "")))
    );
    const [top = "", ...rest] = rows.map((row) => rowOf(row, widths, alignments, theme));
    const bar = theme.isPlain ? "|" : "┼";
    const line = widths.map((width) => (theme.isPlain ? "-" : "─").repeat(width + 2)).join(bar);
    const rule = theme.isPlain ? `|${line}|` : theme.quiet(line);
    return [top, rule, ...rest];
}

function rowOf(
    cells: readonly string[],
    widths: readonly number[],
    alignments: readonly Alignment[],
    theme: Theme
): string {
    const padded = widths.map((width, index) =>
        pad(cells[index] ?? "", width, alignments[index] ?? "left")
    );
    if (theme.isPlain) return `| ${padded.join(" | ")} |`;
    return ` ${padded.join(theme.quiet(" │ "))} `.trimEnd();
}

function pad(cell: string, width: number, alignment: Alignment): string {
    const room = width - textWidth(cell);
    if (alignment === "right") return " ".repeat(room) + cell;
    const before = alignment === "center" ? Math.floor(room / 2) : 0;
    return " ".repeat(before) + cell + " ".repeat(room - before);
}

// A bar after a backslash or inside code belongs to the cell.
function cellsOf(line: string): string[] {
    const inner = line
        .trim()
        .replace(/^\|/, "")
        .replace(/(?<!\\)\|$/, "");
    const cells = inner.match(/(?:\\.|`[^`]*`|[^|])+|(?<=^|\|)(?=\|)/g) ?? [];
    return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function alignmentOf(cell: string): Alignment {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
}
