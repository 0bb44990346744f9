import { graphemes, graphemeWidth, textWidth } from "../terminal/graphemes.js";
import { COLOUR } from "./open-colours.js";
import { wrapVerbatim } from "./verbatim.js";

/** Cuts a coloured row to the width, with an ellipsis; colours stay balanced. */
export function fitRow(row: string, width: number): string {
    if (textWidth(row) <= width) return row;
    let room = width - 1;
    let isCut = false;
    let fitted = "";
    for (const part of row.split(COLOUR)) {
        if (COLOUR.test(part)) {
            fitted += part;
            continue;
        }
        for (const grapheme of isCut ? [] : graphemes(part)) {
            room -= graphemeWidth(grapheme);
            isCut = room < 0;
            fitted += isCut ? "…" : grapheme;
            if (isCut) break;
        }
    }
    return fitted;
}

/** Cuts plain text in its middle: both ends of a path or command tell something. */
export function fitMiddle(text: string, width: number): string {
    if (textWidth(text) <= width) return text;
    const characters = graphemes(text);
    const half = Math.max(1, Math.floor((width - 1) / 2));
    return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
}

/** The rows of a coloured line, with its tabs as they are measured. */
export function wrapRow(line: string, width: number): string[] {
    const text = line.replaceAll("\t", "    ");
    return textWidth(text) <= width ? [text] : wrapVerbatim({ text, indent: 0 }, width);
}
