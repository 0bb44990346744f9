import type { SearchMatch } from "../../plugin/workspace.js";
import type { OpenFile } from "../open-file.js";
import type { Pacer } from "../pacer.js";
import { cutLine, describeMatch, withoutMark } from "./describe-match.js";
import { decodeLines } from "./decode-line.js";
import { lineBlocks } from "./line-blocks.js";
import type { SearchPattern } from "./search-pattern.js";

/** What to look for in one file. */
export interface FileSearch {
    readonly pattern: SearchPattern;
    readonly contextLines: number;
    /** Most matches to describe. */
    readonly limit: number;
    /** 1-based and inclusive. */
    readonly lineRange?: { readonly start: number; readonly end: number };
    /** Go on to the end of the file, so that `total` is the true number. */
    readonly countAll: boolean;
}

/** What was found in one file; nothing in a binary one. */
export interface FileMatches {
    readonly matches: readonly SearchMatch[];
    /** The number of matching lines that were seen. */
    readonly total: number;
}

const NOTHING: FileMatches = { matches: [], total: 0 };

/** Searches one open file line by line. */
export async function searchFile(
    file: OpenFile,
    search: FileSearch,
    pacer: Pacer
): Promise<FileMatches> {
    const state = new LineSearch(file.path, search);
    for (const block of lineBlocks(file.handle.fd, file.stats.size)) {
        if (block.includes(0)) return NOTHING;

        await state.add(block, pacer);
        if (state.isDone) break;
    }
    return state.result();
}

interface Draft {
    readonly match: SearchMatch;
    readonly before: readonly string[];
    readonly after: string[];
}

class LineSearch {
    private readonly drafts: Draft[] = [];
    private readonly before: string[] = [];
    private total = 0;
    private line = 0;
    private missingAfter = 0;

    constructor(
        private readonly path: string,
        private readonly search: FileSearch
    ) {}

    get isDone(): boolean {
        const { lineRange, limit, countAll } = this.search;
        const isPastRange = lineRange !== undefined && this.line > lineRange.end;
        const isFull = this.drafts.length >= limit && !countAll;
        return (isPastRange || isFull) && this.missingAfter === 0;
    }

    async add(block: Buffer, pacer: Pacer): Promise<void> {
        const text = decodeLines(block);
        for (let start = 0; start < text.length && !this.isDone;) {
            const lineBreak = text.indexOf("\n", start);
            const end = lineBreak < 0 ? text.length : lineBreak;
            this.addLine(text.slice(start, end));
            start = end + 1;
            if (pacer.isDue) await pacer.breathe();
        }
    }

    result(): FileMatches {
        const { contextLines } = this.search;
        const matches = this.drafts.map(({ match, before, after }) =>
            contextLines === 0 ? match : { ...match, context: { before, after } }
        );
        return { matches, total: this.total };
    }

    private addLine(line: string): void {
        this.line += 1;
        const { contextLines, limit, pattern } = this.search;
        if (this.missingAfter > 0) {
            this.missingAfter -= 1;
            const shown = this.shown(line);
            for (const draft of this.drafts.slice(-contextLines)) {
                if (draft.match.line + contextLines >= this.line) draft.after.push(shown);
            }
        }
        const found = this.isInRange() ? pattern.find(line) : undefined;
        if (found !== undefined) {
            this.total += 1;
            if (this.drafts.length < limit) {
                const match = describeMatch(this.path, this.line, line, found);
                this.drafts.push({ match, before: [...this.before], after: [] });
                this.missingAfter = contextLines;
            }
        }
        if (contextLines > 0 && this.drafts.length < limit) {
            this.before.push(this.shown(line));
            if (this.before.length > contextLines) this.before.shift();
        }
    }

    private shown(line: string): string {
        return cutLine(this.line === 1 ? withoutMark(line) : line);
    }

    private isInRange(): boolean {
        const range = this.search.lineRange;
        return range === undefined || (this.line >= range.start && this.line <= range.end);
    }
}
