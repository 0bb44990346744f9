import type { ByteText } from "./byte-text.js";
import { endingAt, withEnding } from "./lines.js";

/** Whole lines, by offsets: from the start of one to the start of another, or to the end. */
export interface LineRange {
    readonly start: number;
    readonly end: number;
}

/**
 * Puts whole lines in the place of whole lines. Content without a last line break gets one; empty
 * content is no line at all. `endingOf` is an offset in the line whose ending the new ones take. A
 * text that did not end with a line break still does not.
 */
export function spliceLines(
    text: ByteText,
    range: LineRange,
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
