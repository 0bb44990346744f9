import type { LineRange } from "./line-range.js";

export const MAX_LINES = 500;
/** Maximum bytes per result, in UTF-8. */
export const MAX_BYTES = 100 * 1024;

/** Some lines of a text and where they are. */
export interface LineSection {
    readonly startLine: number;
    readonly endLine: number;
    /** The lines with LF between them. */
    readonly content: string;
}

/** A section, and whether it is all of what was asked for. */
export interface LineWindow extends LineSection {
    readonly truncated: boolean;
}

/** The lines of a range that exists, as many of them as one answer holds. */
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
    // A line that alone is too long would otherwise never be seen at all.
    if (!isComplete && taken.length === 0 && first !== undefined) {
        taken.push(cutToBytes(first, MAX_BYTES));
    }

    return {
        startLine: range.start,
        endLine: range.start + taken.length - 1,
        content: taken.join("\n"),
        truncated: !isComplete,
    };
}

/** A few lines for orientation, long ones cut. */
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

/** The line, or its beginning and a mark that says how much is missing. */
export function shortenLine(line: string, maxLength: number): string {
    return line.length <= maxLength ? line : marked(line.slice(0, maxLength), line);
}

/** The line, or the part of it around a position, marked where something is missing. */
export function shortenAround(line: string, position: number, maxLength: number): string {
    const start = Math.max(0, Math.min(position - (maxLength >> 1), line.length - maxLength));
    const rest = line.slice(start).replace(/^[\uDC00-\uDFFF]/, "");
    const shown = shortenLine(rest, maxLength);
    return start === 0 ? shown : `[line cut: ${line.length - rest.length} characters] … ${shown}`;
}

/** The longest beginning of a text that fits, never ending within a character. */
export function beginningWithin(text: string, maxBytes: number): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) return text;
    // In stream mode the decoder keeps an incomplete last character to itself.
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes), {
        stream: true,
    });
}

/** A line as lines that each fit into one answer. */
export function linePieces(line: string): string[] {
    const pieces: string[] = [];
    let rest = line;
    do {
        const piece = beginningWithin(rest, MAX_BYTES);
        pieces.push(piece);
        rest = rest.slice(piece.length);
    } while (rest !== "");
    return pieces;
}

function cutToBytes(line: string, maxBytes: number): string {
    return marked(beginningWithin(line, maxBytes), line);
}

function marked(beginning: string, line: string): string {
    const whole = beginning.replace(/[\uD800-\uDBFF]$/, "");
    return `${whole} … [line cut: ${line.length - whole.length} more characters]`;
}
