import type { JsonObject } from "../../../plugin/index.js";
import { decoded, type ByteText } from "./byte-text.js";
import { lineAt, lineNumberAt } from "./lines.js";

export const MAX_PLACES = 20;

const PREVIEW_BYTES = 160;

export function placeAt(text: ByteText, offset: number, occurrence: number): JsonObject {
    return { occurrence, line: lineNumberAt(text, offset), preview: previewAt(text, offset) };
}

/** Returns the line around an offset, without indentation, cut if long. */
export function previewAt(text: ByteText, offset: number): string {
    const line = lineAt(text, offset);
    const start = offset - line.start > PREVIEW_BYTES / 2 ? offset - PREVIEW_BYTES / 4 : line.start;
    const end = Math.min(line.end, start + PREVIEW_BYTES);
    const [isCutBefore, isCutAfter] = [start > line.start, end < line.end];
    // The cut may split a character.
    const shown = decoded(text.slice(start, end))
        .replace(isCutBefore ? /^\ufffd+/ : "", "")
        .replace(isCutAfter ? /(?<!\ufffd)\ufffd+$/ : "", "");
    return `${isCutBefore ? "… " : ""}${shown.trim()}${isCutAfter ? " …" : ""}`;
}
