import type { LineRange } from "./line-range.js";

export const MAX_LINES = 500;
/** Maximum bytes per result, in UTF-8. */
export const MAX_BYTES = 100 * 1024;

export interface LineSection {
    readonly startLine: number;
    readonly endLine: number;
    /** Lines joined with LF. */
    readonly content: string;
}

/** A section, and whether lines are missing from the requested range. */
export interface LineWindow extends LineSection {
    readonly truncated: boolean;
}

/** The existing lines of a range, up to the size of one result. */
export function cutWindow(lines: readonly string[], range: LineRange): LineWindow {
    const taken: string[] = [];
    let bytes = 0;
    for (const line of lines.slice(range.start - 1, range.end)) {
        bytes += Buffer.byteLength(line) + 1;
        if (taken.length === MAX_LINES || bytes > MAX_BYTES + 1) break;
        taken.push(line);
    }
    const isComplete = taken.length === range.end - range.start + 1;
    const first = lines[range.start - 1];
    // Otherwise a line longer than the limit could never be read.
    if (!isComplete && taken.length === 0 && first !== undefined) {
        taken.push(withCutNote(prefixWithin(first, MAX_BYTES), first));
    }

    return {
        startLine: range.start,
        endLine: range.start + taken.length - 1,
        content: taken.join("\n"),
        truncated: !isComplete,
    };
}

/** A few lines for context, long ones truncated. */
export function sectionOf(
    lines: readonly string[],
    range: LineRange,
    maxLineLength: number
): LineSection {
    return {
        startLine: range.start,
        endLine: range.end,
        content: lines
            .slice(range.start - 1, range.end)
            .map((line) => shortenLine(line, maxLineLength))
            .join("\n"),
    };
}

/** Truncates a long line, with a note of how much is missing. */
export function shortenLine(line: string, maxLength: number): string {
    return line.length <= maxLength ? line : withCutNote(line.slice(0, maxLength), line);
}

/** Truncates a long line around a position, with a note of what is missing. */
export function shortenAround(line: string, position: number, maxLength: number): string {
    const start = Math.max(0, Math.min(position - (maxLength >> 1), line.length - maxLength));
    const rest = line.slice(start).replace(/^[\uDC00-\uDFFF]/, "");
    const shown = shortenLine(rest, maxLength);
    return start === 0 ? shown : `[line cut: ${line.length - rest.length} characters] … ${shown}`;
}

/** The longest prefix that fits, never splitting a character. */
export function prefixWithin(text: string, maxBytes: number): string {
    // Of more characters not all would fit.
    const bytes = Buffer.from(text.slice(0, maxBytes));
    if (text.length <= maxBytes && bytes.length <= maxBytes) return text;
    // In stream mode, the decoder holds back an incomplete last character.
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes), {
        stream: true,
    });
}

/** Splits a line into pieces that each fit in one result. */
export function linePieces(line: string): string[] {
    const pieces: string[] = [];
    let rest = line;
    do {
        const piece = prefixWithin(rest, MAX_BYTES);
        pieces.push(piece);
        rest = rest.slice(piece.length);
    } while (rest !== "");
    return pieces;
}

function withCutNote(beginning: string, line: string): string {
    const whole = beginning.replace(/[\uD800-\uDBFF]$/, "");
    return `${whole} … [line cut: ${line.length - whole.length} more characters]`;
}
