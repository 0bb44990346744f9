import { graphemes, graphemeWidth, isPlain } from "../terminal/graphemes.js";
import { lineEnd, lineStart } from "./motions.js";

interface LineLayout {
    readonly rows: readonly string[];
    readonly cursor: { readonly row: number; readonly column: number };
}

interface Layout extends LineLayout {
    readonly linesAbove: number;
    readonly linesBelow: number;
}

/** Lays out only the rows around the cursor, so that a draft of any length draws equally fast. */
export function layOut(text: string, cursor: number, width: number, maxRows: number): Layout {
    const start = lineStart(text, cursor);
    const end = lineEnd(text, cursor);
    const own = layOutLine(text.slice(start, end), cursor - start, width);
    const rows = [...own.rows];
    let cursorRow = own.cursor.row;
    let [top, bottom] = [start, end];
    while (rows.length < maxRows && top > 0) {
        const above = lineStart(text, top - 1);
        const lines = layOutLine(text.slice(above, top - 1), 0, width).rows;
        rows.unshift(...lines);
        cursorRow += lines.length;
        top = above;
    }
    while (rows.length < maxRows && bottom < text.length) {
        const below = lineEnd(text, bottom + 1);
        rows.push(...layOutLine(text.slice(bottom + 1, below), 0, width).rows);
        bottom = below;
    }
    const last = Math.max(0, rows.length - maxRows);
    const first = Math.min(Math.max(0, cursorRow - maxRows + 1), last);
    return {
        rows: rows.slice(first, first + maxRows),
        cursor: { row: cursorRow - first, column: own.cursor.column },
        linesAbove: countLines(text, 0, top),
        linesBelow: countLines(text, bottom, text.length),
    };
}

function countLines(text: string, from: number, to: number): number {
    let count = 0;
    for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
        count += 1;
    }

    return count;
}

function layOutLine(line: string, cursor: number, width: number): LineLayout {
    if (isPlain(line)) return layOutPlainLine(line, cursor, width);
    const rows = [""];
    let [column, index] = [0, 0];
    let place = { row: 0, column: 0 };
    for (const grapheme of graphemes(line)) {
        const size = graphemeWidth(grapheme);
        if (column + size > width && column > 0) {
            rows.push("");
            column = 0;
        }
        if (index === cursor) place = { row: rows.length - 1, column };
        rows[rows.length - 1] += grapheme === "\t" ? "    " : grapheme;
        column += size;
        index += grapheme.length;
    }
    if (cursor >= index) {
        // Never place the cursor past the last column: terminals disagree about that position.
        if (column >= width) {
            rows.push("");
            column = 0;
        }
        place = { row: rows.length - 1, column };
    }
    return { rows, cursor: place };
}

function layOutPlainLine(line: string, cursor: number, width: number): LineLayout {
    const rows: string[] = [];
    for (let at = 0; at < line.length; at += width) rows.push(line.slice(at, at + width));
    const place = { row: Math.floor(cursor / width), column: cursor % width };
    if (rows.length === 0 || place.row === rows.length) rows.push("");
    return { rows, cursor: place };
}

export function wrapText(text: string, width: number): string[] {
    return text.split("\n").flatMap((line) => layOutLine(line, 0, width).rows);
}
