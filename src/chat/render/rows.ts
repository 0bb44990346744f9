import { wrapText } from "../composer/layout.js";
import { graphemes, graphemeWidth, textWidth } from "../terminal/graphemes.js";
import { COLOUR, OpenColours, RESET } from "./open-colours.js";

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

/** The rows that a coloured text takes; each row ends without colours and begins with its own. */
export function wrapStyled(text: string, width: number): string[] {
    return text
        .split("\n")
        .flatMap((line) => (COLOUR.test(line) ? wrapLine(line, width) : wrapText(line, width)));
}

function wrapLine(line: string, width: number): string[] {
    const rows = [""];
    const colours = new OpenColours();
    let column = 0;
    for (const part of line.split(COLOUR)) {
        if (COLOUR.test(part)) {
            colours.add(part);
            rows[rows.length - 1] += part;
            continue;
        }
        for (const grapheme of graphemes(part)) {
            const size = graphemeWidth(grapheme);
            if (column + size > width && column > 0) {
                rows[rows.length - 1] += RESET;
                rows.push(colours.opening);
                column = 0;
            }
            rows[rows.length - 1] += grapheme === "\t" ? "    " : grapheme;
            column += size;
        }
    }
    return rows;
}
