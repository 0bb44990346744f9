import type { ByteText } from "./byte-text.js";

/** A range in a text, by offsets. */
export interface Span {
    readonly start: number;
    readonly end: number;
}

export interface LineSpan extends Span {
    /** Start of the next line; the end of the text if there is none. */
    readonly next: number;
}

type LineEnding = "\n" | "\r\n";

export function lineAt(text: ByteText, offset: number): LineSpan {
    const start = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
    const newline = text.indexOf("\n", offset);
    if (newline === -1) return { start, end: text.length, next: text.length };

    const isCrLf = newline > start && text[newline - 1] === "\r";
    return { start, end: isCrLf ? newline - 1 : newline, next: newline + 1 };
}

export function lineNumberAt(text: ByteText, offset: number): number {
    let number = 1;
    for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
        number += 1;
    }

    return number;
}

/** Returns the offset of a line; the end of the text for the line after the last. */
export function startOfLine(text: ByteText, line: number): number {
    let offset = 0;
    for (let number = 1; number < line; number++) {
        const newline = text.indexOf("\n", offset);
        if (newline === -1) return text.length;

        offset = newline + 1;
    }
    return offset;
}

/**
 * Returns the line ending at a place: that of its line or, if this is the last and has none, of the
 * line before; LF in a file without line breaks.
 */
export function endingAt(text: ByteText, offset: number): LineEnding {
    const after = text.indexOf("\n", offset);
    const newline = after !== -1 || offset === 0 ? after : text.lastIndexOf("\n", offset - 1);
    return newline > 0 && text[newline - 1] === "\r" ? "\r\n" : "\n";
}

/** Converts LF to the given ending; keeps existing CRLF. */
export function withEnding(text: ByteText, ending: LineEnding): ByteText {
    return ending === "\n" ? text : text.replace(/(?<!\r)\n/g, "\r\n");
}

/** Splits text after each line break; `"a\nb"` and `"a\nb\n"` are two pieces, `""` is one. */
export function cutIntoLines(text: ByteText): ByteText[] {
    return text.split(/(?<=\n)/);
}

/**
 * Replaces whole lines with whole lines. Adds a missing last line break to the content; empty
 * content means no line. `endingOf` is an offset in the line whose ending the new lines get. A text
 * without a final line break stays so.
 */
export function spliceLines(
    text: ByteText,
    range: Span,
    content: ByteText,
    endingOf: number
): ByteText {
    const ending = endingAt(text, endingOf);
    const lines = withEnding(content, ending);
    const before = text.slice(0, range.start);
    if (lines === "") return before + text.slice(range.end);

    const lacksLastBreak = range.end === text.length && text !== "" && !text.endsWith("\n");
    if (!lacksLastBreak) {
        return before + (lines.endsWith("\n") ? lines : lines + ending) + text.slice(range.end);
    }

    const joint = range.start === text.length ? ending : "";
    return before + joint + lines.replace(/\r?\n$/, "");
}
