import { graphemes, graphemeWidth, textWidth } from "../terminal/graphemes.js";

/** One colour sequence. Splitting by it keeps the sequences. */
export const COLOUR = /(\u001b\[[0-9;]*m)/;
const COLOURS = new RegExp(COLOUR, "g");
export const RESET = "\u001b[0m";

/** The colours in effect at a position, to close at the end of a row and reopen on the next. */
export class OpenColours {
    private readonly sequences = new Map<string, number>();

    add(sequence: string): void {
        const code = Number(/\d+/.exec(sequence)?.[0] ?? 0);
        if (code === 0) return this.sequences.clear();
        for (const [open, closer] of this.sequences) {
            if (closer === code) this.sequences.delete(open);
        }

        const closer = closerOf(code);
        if (closer !== undefined) this.sequences.set(sequence, closer);
    }

    get opening(): string {
        return [...this.sequences.keys()].join("");
    }
}

function closerOf(code: number): number | undefined {
    if (code <= 2) return 22;
    if (code <= 9) return code + 20;
    if ((code >= 30 && code < 39) || (code >= 90 && code < 98)) return 39;
    return (code >= 40 && code < 49) || (code >= 100 && code < 108) ? 49 : undefined;
}

/** Truncates a coloured row to the width with an ellipsis. Colours stay balanced. */
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

/** At most `max` items, down to the selected one if it is further on, and how many follow them. */
export function itemsAround<Item>(items: readonly Item[], selected: number, max: number) {
    const first = Math.max(0, selected - max + 1);
    const shown = items.slice(first, first + max);
    return { shown, following: items.length - first - shown.length };
}

/** Truncates plain text in the middle: both ends of a path or command matter. */
export function fitMiddle(text: string, width: number): string {
    if (textWidth(text) <= width) return text;
    const fitting = (characters: readonly string[]): readonly string[] => {
        let room = (width - 1) / 2;
        return characters.slice(
            0,
            characters.findIndex((each) => (room -= graphemeWidth(each)) < 0)
        );
    };
    const characters = graphemes(text);
    const end = fitting(characters.toReversed()).toReversed();
    return `${fitting(characters).join("")}…${end.join("")}`;
}

/** The rows of a coloured line, with tabs as spaces. */
export function wrapRow(line: string, width: number): string[] {
    const text = line.replaceAll("\t", "    ");
    return textWidth(text) <= width ? [text] : wrapVerbatim({ text, indent: 0 }, width);
}

/** A coloured line that keeps every character. */
export interface VerbatimLine {
    readonly text: string;
    /** Columns of indent on continuation rows. */
    readonly indent: number;
    /** Characters left out at every width. */
    readonly hiddenCharacters?: number;
    /** An unchanged line, the first to go where there is no room. */
    readonly isContext?: boolean;
    /** Names the file that the lines after it are from. */
    readonly isHeading?: boolean;
    /** The added lines that it shows. */
    readonly added?: readonly AddedLine[];
    /** Counts copies of the line before it. */
    readonly isCount?: boolean;
}

/** A line of a file's new content, counted from 1. */
interface AddedLine {
    readonly path: string;
    readonly line: number;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.source;
/** A word and the spaces after it. Scripts without spaces may break anywhere. */
const WORD = new RegExp(`${UNSPACED}\\s*|(?:(?!${UNSPACED})\\S)+\\s*|\\s+`, "gu");
/** Break between words only if the row is filled to this share. */
const FILLED = 0.5;

/** Breaks between words unless that leaves a large gap, else inside them. Drops no character. */
export function wrapVerbatim({ text, indent }: VerbatimLine, width: number): string[] {
    // Most lines are short and ASCII.
    const plain = text.replaceAll(COLOURS, "");
    if (plain.length <= width && /^[ -~]*$/.test(plain)) return [text];
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
