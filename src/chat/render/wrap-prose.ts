import { textWidth } from "../terminal/graphemes.js";
import { stripControls } from "../../base/safe-text.js";
import { COLOUR, OpenColours, RESET } from "./rows.js";

/** Longer lines are data, not prose. */
const MAX_CHARACTERS = 20_000;
/** Min room beside an indent; with less, text becomes a column of single words. */
const MIN_ROOM = 20;
/** Of a second column that is below the first. */
const BELOW = "    ";

const LEAD = /^\s*(?:[│>]\s+)*(?:(?:[-*+•●·⚡▶✔✘↶↻→!?❯☐☑]|\d{1,9}[.)])\s+)*/;
/** The first of two columns, as in a list of commands. */
const COLUMN = /^\s{2,}\S+(?: \S+)*\s{2,}/;

// Scripts without spaces may break between any characters, but not before closing punctuation.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const OPENING = /[\p{Ps}\p{Pi}]{0,20}/u.source;
const CLOSING = /[\p{Pe}\p{Pf}、。，．：；！？ー々]*/u.source;
const PIECE = new RegExp(
    `\\s+|${OPENING}${UNSPACED.source}${CLOSING}|(?:(?!${UNSPACED.source})\\S)+`,
    "gu"
);

/**
 * Wraps coloured prose between words. Text after a marker (`•`, `1.`, `✘`), an indent or a first
 * column gets a hanging indent, or goes below it where that leaves no room; quotation bars repeat.
 * Words longer than a row are left to the terminal, so that a URL can be copied and clicked.
 * `taken` columns of the first row are already used.
 */
export function wrapProse(text: string, width: number, taken = 0): string[] {
    return text
        .split("\n")
        .flatMap((line, index) => wrapLine(line, width, index === 0 ? taken : 0));
}

function wrapLine(line: string, width: number, taken: number): string[] {
    const bare = stripControls(line);
    if (bare.length > MAX_CHARACTERS || textWidth(bare) + taken <= width) return [line];
    const lead = (COLUMN.exec(bare) ?? LEAD.exec(bare))?.[0] ?? "";
    const isTooWide = textWidth(lead) > width - MIN_ROOM;
    if (isTooWide && line.startsWith(lead) && BELOW.length <= width - MIN_ROOM) {
        const first = lead.trim();
        const indent = lead.slice(0, lead.indexOf(first));
        const start = textWidth(indent) > width - MIN_ROOM ? BELOW : indent;
        return [
            ...(first === "" ? [] : fillRows(start + first, start, width, taken)),
            ...wrapLine(BELOW + line.slice(lead.length), width, first === "" ? taken : 0),
        ];
    }
    return fillRows(line, isTooWide ? "" : lead, width, taken);
}

function fillRows(line: string, lead: string, width: number, taken: number): string[] {
    const wrapper = new RowWrapper(width, taken, lead);
    for (const part of line.split(COLOUR)) {
        if (COLOUR.test(part)) wrapper.addColour(part);
        else for (const [piece] of part.matchAll(PIECE)) wrapper.addPiece(piece);
    }
    return wrapper.end();
}

/** Fills rows with words. A word is unbreakable text, with the colours that start in it. */
class RowWrapper {
    private readonly rows: string[] = [];
    private readonly colours = new OpenColours();
    private row = "";
    private gap = "";
    private word = "";
    private wordWidth = 0;
    private openedBeforeWord = "";
    private isUnspaced = false;
    private readonly hanging: string;
    private readonly hangingWidth: number;
    private column: number;
    /** Up to this column the row has no word. */
    private start: number;

    constructor(
        private readonly width: number,
        taken: number,
        lead: string
    ) {
        this.hanging = lead.replace(/[^│>\s]/gu, (mark) => " ".repeat(textWidth(mark)));
        this.hangingWidth = textWidth(lead);
        this.column = taken;
        this.start = taken + this.hangingWidth;
    }

    addColour(sequence: string): void {
        this.word += sequence;
        this.colours.add(sequence);
    }

    addPiece(piece: string): void {
        if (piece.trim() === "") {
            this.endWord();
            this.gap += piece.replaceAll("\t", "    ");
            return;
        }
        const isUnspaced = UNSPACED.test(piece);
        if (isUnspaced || this.isUnspaced) this.endWord();
        this.isUnspaced = isUnspaced;
        this.word += piece;
        this.wordWidth += textWidth(piece);
    }

    end(): string[] {
        this.endWord();
        return [...this.rows, this.row + this.word];
    }

    private endWord(): void {
        // Hold colours back for the word that they belong to.
        if (this.wordWidth === 0) return;
        const end = this.column + this.gap.length + this.wordWidth;
        const isTooLong = end > this.width && this.column > this.start;
        // A word that fits no row may as well start in this one.
        const fitsBelow = this.wordWidth <= this.width - this.hangingWidth;
        if (isTooLong && (fitsBelow || this.column >= this.width)) {
            const closing = this.openedBeforeWord === "" ? "" : RESET;
            this.rows.push(this.row + closing);
            this.row = this.hanging + this.openedBeforeWord + this.word;
            this.start = this.hangingWidth;
            this.column = this.start + this.wordWidth;
        } else {
            this.row += this.gap + this.word;
            this.column = end;
        }
        this.gap = "";
        this.word = "";
        this.wordWidth = 0;
        this.openedBeforeWord = this.colours.opening;
    }
}
