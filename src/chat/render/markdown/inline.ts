import type { Theme } from "../../terminal/theme.js";
import { entityAt } from "./entities.js";

/** Longer lines are data, not prose; they are shown as they are. */
const MAX_CHARACTERS = 4000;
const MAX_DEPTH = 6;

/** How a line is styled. */
export interface InlineOptions {
    readonly theme: Theme;
    /** The line still grows: what was opened and not closed is taken as open. */
    readonly isGrowing: boolean;
}

type Style = (text: string) => string;

/** A piece of a line: what it looks like, and where the rest begins. */
interface Piece {
    readonly shown: string;
    readonly end: number;
}

/**
 * Styles the emphasis, code and links of one line. Where there are no styles the line stays as it
 * was written, marks and all: they are what tells an emphasised word then. With styles these marks
 * go away: asterisks, underscores and tildes around words, backticks around code, the brackets of a
 * link (its address follows in parentheses), and a backslash before a mark. Entities become their
 * characters. A link whose address is told elsewhere stays as it is: that place is yet to come.
 */
export function renderInline(text: string, options: InlineOptions): string {
    const isShownAsWritten = options.theme.isPlain || text.length > MAX_CHARACTERS;
    return isShownAsWritten ? text : new InlineScanner(options, 0).render(text);
}

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const LINK =
    /\[((?:[^[\]\\]|\\.){1,500})\]\(([^()\s]{1,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)\)/y;
const ADDRESS = /<(https?:\/\/[^\s<>]{1,1000})>|https?:\/\/[^\s<>()[\]`*]{1,1000}/y;
const DELIMITER = /`+|\*\*|__|~~|\*|_/y;

class InlineScanner {
    /** Marks that nothing closes from here on: looked for once, not once for each opening. */
    private readonly unclosed = new Set<string>();
    private readonly styles: Readonly<Record<string, Style>>;

    constructor(
        private readonly options: InlineOptions,
        private readonly depth: number
    ) {
        const { theme } = options;
        this.styles = {
            "**": theme.strong,
            __: theme.strong,
            "*": theme.emphasis,
            _: theme.emphasis,
            "~~": theme.deleted,
        };
    }

    render(text: string): string {
        let shown = "";
        let index = 0;
        while (index < text.length) {
            const piece = this.pieceAt(text, index);
            shown += piece.shown;
            index = piece.end;
        }
        return shown;
    }

    private pieceAt(text: string, index: number): Piece {
        const character = text[index] ?? "";
        if (character === "\\" && PUNCTUATION.test(text[index + 1] ?? "")) {
            return { shown: text[index + 1] ?? "", end: index + 2 };
        }

        const literal = { shown: character, end: index + 1 };
        if (character === "&") return entityAt(text, index) ?? literal;
        if (character === "[") return this.link(text, index) ?? literal;
        // A picture is its description, and where it is.
        if (character === "!" && text[index + 1] === "[") {
            return this.link(text, index + 1) ?? literal;
        }

        if (character === "h" || character === "<") return this.address(text, index) ?? literal;
        const [mark] = matchAt(DELIMITER, text, index) ?? [];
        if (mark === undefined) return literal;
        const piece = mark.startsWith("`")
            ? this.code(text, index, mark)
            : this.emphasis(text, index, mark);
        return piece ?? { shown: mark, end: index + mark.length };
    }

    private code(text: string, index: number, mark: string): Piece | undefined {
        const from = index + mark.length;
        const to = this.closing(text, from, mark, (at) => isRunOf(text, at, mark.length));
        if (to === undefined) return undefined;
        const content = text.slice(from, to);
        const inner = /^ .*[^ ].* $|^ `|` $/.test(content) ? content.slice(1, -1) : content;
        return { shown: this.options.theme.code(inner), end: to + mark.length };
    }

    private emphasis(text: string, index: number, mark: string): Piece | undefined {
        const from = index + mark.length;
        const style = this.styles[mark];
        const isWordInside = mark.startsWith("_") && isWord(text[index - 1]);
        if (!style || this.depth >= MAX_DEPTH || isWordInside || !/\S/.test(text[from] ?? "")) {
            return undefined;
        }

        const to = this.closing(text, from + 1, mark, (at) => canClose(text, at, mark));
        if (to === undefined) return undefined;
        const inner = new InlineScanner(this.options, this.depth + 1);
        return { shown: style(inner.render(text.slice(from, to))), end: to + mark.length };
    }

    private link(text: string, index: number): Piece | undefined {
        const [whole, label = "", address = ""] = matchAt(LINK, text, index) ?? [];
        if (whole === undefined || this.depth >= MAX_DEPTH) return undefined;
        const { theme } = this.options;
        const inner = new InlineScanner(this.options, this.depth + 1).render(label);
        const note = label === address ? "" : theme.quiet(` (${address})`);
        return { shown: theme.link(inner) + note, end: index + whole.length };
    }

    private address(text: string, index: number): Piece | undefined {
        const [whole, inBrackets] = matchAt(ADDRESS, text, index) ?? [];
        if (whole === undefined) return undefined;
        // A full stop after an address belongs to the sentence.
        const address = inBrackets ?? whole.replace(/[.,;:!?'"]+$/, "");
        const length = inBrackets === undefined ? address.length : whole.length;
        return { shown: this.options.theme.link(address), end: index + length };
    }

    /** Where the mark closes; the end of a growing line stands in for a mark yet to come. */
    private closing(
        text: string,
        from: number,
        mark: string,
        closes: (at: number) => boolean
    ): number | undefined {
        if (!this.unclosed.has(mark)) {
            for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
                if (closes(at)) return at;
            }

            this.unclosed.add(mark);
        }
        return this.options.isGrowing && from < text.length ? text.length : undefined;
    }
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
    pattern.lastIndex = index;
    return pattern.exec(text);
}

function isRunOf(text: string, at: number, length: number): boolean {
    return text[at - 1] !== "`" && text[at + length] !== "`";
}

function canClose(text: string, at: number, mark: string): boolean {
    if (!/\S/.test(text[at - 1] ?? "") || text[at - 1] === "\\") return false;
    const after = text[at + mark.length];
    if (mark.startsWith("_") && isWord(after)) return false;
    // One asterisk of two closes nothing.
    if (mark.length === 1) return after !== mark && text[at - 1] !== mark;
    return true;
}

function isWord(character: string | undefined): boolean {
    return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
