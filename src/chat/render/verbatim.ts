import { graphemes, graphemeWidth, textWidth } from "../terminal/graphemes.js";
import { COLOUR, OpenColours, RESET } from "./open-colours.js";

/** A coloured line that is shown character by character. */
export interface VerbatimLine {
    readonly text: string;
    /** Columns before the rows in which a longer line continues. */
    readonly indent: number;
    /** Characters of it that are left out at every size. */
    readonly hiddenCharacters?: number;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.source;
/** A word and the spaces after it; scripts without spaces may be broken anywhere. */
const WORD = new RegExp(`${UNSPACED}\\s*|(?:(?!${UNSPACED})\\S)+\\s*|\\s+`, "gu");
/** A row breaks between words only if it is filled to this share. */
const FILLED = 0.5;

/** Breaks between words where that leaves no large gap, else inside of them; leaves no character out. */
export function wrapVerbatim({ text, indent }: VerbatimLine, width: number): string[] {
    if (!text.includes("\u001b") && /^[ -~]*$/.test(text) && text.length <= width) return [text];
    const hanging = indent <= width / 2 ? indent : 0;
    const colours = new OpenColours();
    const rows = [""];
    let column = 0;
    const nextRow = (): void => {
        if (colours.opening !== "") rows[rows.length - 1] += RESET;
        rows.push(" ".repeat(hanging) + colours.opening);
        column = hanging;
    };
    const add = (piece: string, size: number): void => {
        rows[rows.length - 1] += piece;
        column += size;
    };
    for (const part of text.split(COLOUR)) {
        if (COLOUR.test(part)) {
            colours.add(part);
            rows[rows.length - 1] += part;
            continue;
        }
        for (const [word] of part.matchAll(WORD)) {
            const pieces = piecesOf(word);
            const size = pieces.reduce((sum, piece) => sum + piece.width, 0);
            const fits = column + textWidth(word.trimEnd()) <= width;
            if (!fits && size <= width - hanging && column >= width * FILLED) nextRow();
            for (const piece of pieces) {
                if (column + piece.width > width && column > hanging) nextRow();
                add(piece.text, piece.width);
            }
        }
    }
    return rows;
}

function piecesOf(word: string): readonly { readonly text: string; readonly width: number }[] {
    return graphemes(word).map((grapheme) => ({
        text: grapheme === "\t" ? "    " : grapheme,
        width: widest(grapheme),
    }));
}

/** Some terminals draw the parts of a joined emoji side by side. */
function widest(grapheme: string): number {
    const whole = graphemeWidth(grapheme);
    if (grapheme.length === 1) return whole;
    const parts = Array.from(grapheme, (character) => graphemeWidth(character));
    return Math.max(
        whole,
        parts.reduce((sum, width) => sum + width, 0)
    );
}
