import type { Theme } from "../../terminal/theme.js";
import type { CodeColours } from "../code-colours.js";
import { renderInline } from "./inline.js";
import { isDelimiterRow, looksLikeRow, renderTable } from "./table.js";

/** Longer tables are not aligned: their rows must not wait forever. */
const MAX_TABLE_ROWS = 200;

const MAX_CLOSING = 100;

const FENCE = /^\s*(`{3,}|~{3,})/;
// A row of equals signs too: it underlines a title that is already printed.
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,}|={3,} *)$/;

export interface MarkdownLine {
    readonly text: string;
    /** Prose wraps between words. Anything else stays as it is. */
    readonly isProse: boolean;
}

interface OpenFence {
    readonly mark: string;
    readonly language: string;
    code: string;
}

/**
 * Renders Markdown line by line and never changes printed lines. Only table rows wait, visibly, for
 * the end of the table, because column widths depend on all rows. Without styles, everything else
 * is as written.
 */
export class MarkdownLines {
    private fence: OpenFence | undefined;
    private table: string[] = [];

    /** `colours` returns the code colours once loaded, `columns` the width for a table. */
    constructor(
        private readonly theme: Theme,
        private readonly colours: () => CodeColours | undefined,
        private readonly columns: () => number
    ) {}

    get isWaiting(): boolean {
        return this.table.length > 0;
    }

    /** Table rows that wait for the end of the table, as they look so far. */
    get waiting(): readonly MarkdownLine[] {
        if (this.table.length < 2) return this.table.map((line) => this.prose(line, false));
        return renderTable(this.table, this.theme, this.columns()).map(verbatim);
    }

    add(line: string): MarkdownLine[] {
        if (this.fence) return [this.inFence(line, this.fence)];
        const done = this.continuesTable(line) ? [] : this.end();
        if (this.table.length > 0 || looksLikeRow(line)) {
            this.table.push(line);
            return this.table.length > MAX_TABLE_ROWS ? this.end() : done;
        }
        const fence = readFence(line);
        if (fence === undefined) return [...done, this.prose(line, false)];
        this.fence = { ...fence, code: "" };
        return [...done, verbatim(this.theme.quiet(line))];
    }

    growing(line: string): MarkdownLine {
        return this.fence ? verbatim(line) : this.prose(line, true);
    }

    end(): MarkdownLine[] {
        const { waiting } = this;
        this.table = [];
        return [...waiting];
    }

    private continuesTable(line: string): boolean {
        if (this.table.length === 0) return false;
        return this.table.length === 1 ? isDelimiterRow(line) : looksLikeRow(line);
    }

    private inFence(line: string, fence: OpenFence): MarkdownLine {
        const closing = readFence(line);
        if (closing?.mark.startsWith(fence.mark) && closing.language === "") {
            this.fence = undefined;
            return verbatim(this.theme.quiet(line));
        }
        const coloured = this.theme.isPlain
            ? undefined
            : this.colours()?.(line, fence.code, fence.language);
        // Keep only code that continues on the next line: it is highlighted again with it.
        fence.code = coloured?.isOpen === false ? "" : `${fence.code}${line}\n`.slice(-CODE_KEPT);
        return verbatim(coloured?.text ?? line);
    }

    private prose(line: string, isGrowing: boolean): MarkdownLine {
        return { text: this.styled(line, isGrowing), isProse: true };
    }

    private styled(line: string, isGrowing: boolean): string {
        const { theme } = this;
        if (theme.isPlain) return line;
        const inline = (text: string): string => renderInline(text, { theme, isGrowing });
        if (RULE.test(line) && !isGrowing) return theme.quiet("─".repeat(24));
        const [, title] = /^ {0,3}#{1,6}\s(.*)$/.exec(line) ?? [];
        if (title !== undefined) return theme.heading(inline(withoutClosing(title)));
        const [, marks, quoted = ""] = /^((?:\s{0,3}>)+)\s?([^]*)/.exec(line) ?? [];
        if (marks !== undefined) {
            const bars = "│ ".repeat(marks.split(">").length - 1);
            return theme.quiet(bars) + theme.emphasis(inline(quoted));
        }
        const [, indent = "", bullet, item = ""] =
            /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+([^]*)|$)/.exec(line) ?? [];
        if (bullet === undefined) return inline(line);
        if (isGrowing && item === "") return line;
        const [, mark, task] = /^\[([ xX])\]\s+((?:\S.*)?)$/.exec(item) ?? [];
        const sign = mark === undefined ? "•" : mark === " " ? "☐" : "☑";
        const shown = /\d/.test(bullet) ? bullet : sign;
        return `${indent}${theme.assistant(shown)} ${inline(shown === bullet ? item : (task ?? item))}`;
    }
}

function readFence(line: string): Pick<OpenFence, "mark" | "language"> | undefined {
    const [whole, mark] = FENCE.exec(line) ?? [];
    if (whole === undefined || mark === undefined) return undefined;
    const information = line.slice(whole.length);
    if (information.includes("`")) return undefined;
    const [, language = ""] = /^\s*([^\s{]*)/.exec(information) ?? [];
    return { mark, language: language.toLowerCase() };
}

function withoutClosing(title: string): string {
    const text = title.trim();
    const end = text.length - (/(?<!#)#+$/.exec(text.slice(-MAX_CLOSING))?.[0].length ?? 0);
    return end === 0 || /\s/.test(text[end - 1] ?? "") ? text.slice(0, end).trim() : text;
}

function verbatim(text: string): MarkdownLine {
    return { text, isProse: false };
}

/** Max characters of preceding code kept for the colours of the next line. */
const CODE_KEPT = 4000;
