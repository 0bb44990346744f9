import { textWidth } from "../../terminal/graphemes.js";
import type { Theme } from "../../terminal/theme.js";
import { wrapRow } from "../rows.js";
import { wrapProse } from "../wrap-prose.js";
import { renderInline } from "./inline.js";

type Alignment = "left" | "right" | "center";

export function looksLikeRow(line: string): boolean {
    return /^\s{0,3}\|.*\S/.test(line);
}

/** Whether the line separates the head and the body of a table. */
export function isDelimiterRow(line: string): boolean {
    return /^\s{0,3}\|(\s*:?-+:?\s*\|)+\s*$/.test(line.endsWith("|") ? line : `${line}|`);
}

/** If the widest column would get narrower, rows become lists. */
const MIN_WIDTH = 8;
/** Columns per cell for padding and a bar. */
const SEPARATOR_WIDTH = 3;

type Row = readonly string[];

/** Aligns columns. Narrows the widest if they do not fit, or else lists the cells of each row. */
export function renderTable(lines: readonly string[], theme: Theme, columns: number): string[] {
    const [head = [], delimiter = [], ...body] = lines.map(cellsOf);
    const length = Math.max(head.length, ...body.map((cells) => cells.length));
    const render = (cells: Row, style = (text: string) => text): Row =>
        Array.from({ length }, (_, index) =>
            style(renderInline(cells[index] ?? "", { theme, isGrowing: false }))
        );
    const rows = [render(head, theme.strong), ...body.map((cells) => render(cells))];
    const natural = Array.from({ length }, (_, index) =>
        Math.max(3, ...rows.map((row) => textWidth(row[index] ?? "")))
    );
    const widths = narrowed(natural, columns - SEPARATOR_WIDTH * length - 1);
    if (!widths) return asLists(rows, theme, columns);
    const alignments = delimiter.map(alignmentOf);
    const [top = [], ...rest] = rows.map((row) => rowsOf(row, widths, alignments, theme));
    const bar = theme.isPlain ? "|" : "┼";
    const line = widths.map((width) => (theme.isPlain ? "-" : "─").repeat(width + 2)).join(bar);
    return [...top, theme.isPlain ? `|${line}|` : theme.quiet(line), ...rest.flat()];
}

/** Shrinks the widest columns to fit; `undefined` if they would become too narrow. */
function narrowed(natural: readonly number[], room: number): readonly number[] | undefined {
    const least = natural.reduce((sum, width) => sum + Math.min(width, MIN_WIDTH), 0);
    if (least > room) return undefined;
    const widths = [...natural];
    const excess = widths.reduce((sum, width) => sum + width, 0) - room;
    for (let left = excess; left > 0; left -= 1) {
        const widest = Math.max(...widths);
        widths[widths.indexOf(widest)] = widest - 1;
    }
    return widths;
}

function asLists([head = [], ...body]: readonly Row[], theme: Theme, columns: number): string[] {
    const rule = theme.quiet((theme.isPlain ? "-" : "─").repeat(Math.min(columns, 24)));
    const lists = body.map((row) =>
        head.flatMap((name, index) => wrapProse(`${name}: ${row[index] ?? ""}`, columns))
    );
    return [rule, ...lists.flatMap((list) => [...list, rule])];
}

function rowsOf(
    cells: Row,
    widths: readonly number[],
    alignments: readonly Alignment[],
    theme: Theme
): string[] {
    const wrapped = widths.map((width, index) =>
        wrapProse(cells[index] ?? "", width).flatMap((row) => wrapRow(row, width))
    );
    const height = Math.max(...wrapped.map((rows) => rows.length));
    return Array.from({ length: height }, (_, row) => {
        const padded = widths.map((width, index) =>
            pad(wrapped[index]?.[row] ?? "", width, alignments[index] ?? "left")
        );
        if (theme.isPlain) return `| ${padded.join(" | ")} |`;
        return ` ${padded.join(theme.quiet(" │ "))} `.trimEnd();
    });
}

function pad(cell: string, width: number, alignment: Alignment): string {
    const room = Math.max(0, width - textWidth(cell));
    if (alignment === "right") return " ".repeat(room) + cell;
    const before = alignment === "center" ? Math.floor(room / 2) : 0;
    return " ".repeat(before) + cell + " ".repeat(room - before);
}

// A bar after a backslash or inside code is part of the cell.
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
