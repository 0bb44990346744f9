import { decodeLines } from "./decode-line.js";
import { invalidPattern, translateRegex } from "./translate-regex.js";
import { regexTokens } from "./regex-tokens.js";

/** What a search looks for. */
export interface SearchPattern {
    /** How ripgrep is told; `undefined` where it cannot be. */
    readonly ripgrepArguments: readonly string[] | undefined;
    /** How many lines match in bytes that begin and end with whole lines. */
    countLines(block: Buffer): number;
    /** Where the first match begins and ends in one decoded line; `undefined` without one. */
    find(line: string): { readonly start: number; readonly end: number } | undefined;
}

const LINE_FEED = 0x0a;

/** Rejects with `invalid-pattern`. */
export async function compilePattern(query: string, isRegex: boolean): Promise<SearchPattern> {
    if (query === "") throw invalidPattern("it is empty");

    const nul = query.indexOf("\0");
    if (nul >= 0) throw invalidPattern("text files have no NUL in them", nul);

    return isRegex ? compileRegex(query) : compileText(query);
}

function compileText(query: string): SearchPattern {
    const lineBreak = query.indexOf("\n");
    if (lineBreak >= 0) throw invalidPattern("a search looks at one line at a time", lineBreak);

    const needle = Buffer.from(query, "utf8");
    return {
        ripgrepArguments: ["--fixed-strings", "-e", query],
        countLines: (block) => {
            let count = 0;
            for (let at = block.indexOf(needle); at >= 0; count++) {
                const end = block.indexOf(LINE_FEED, at);
                at = end < 0 ? -1 : block.indexOf(needle, end);
            }
            return count;
        },
        find: (line) => {
            const start = line.indexOf(query);
            return start < 0 ? undefined : { start, end: start + query.length };
        },
    };
}

async function compileRegex(query: string): Promise<SearchPattern> {
    const { RE2JS, RE2JSException, RE2JSSyntaxException } = await import("re2js");
    try {
        RE2JS.compile(query);
    } catch (error) {
        if (error instanceof RE2JSSyntaxException) {
            throw invalidPattern(error.getDescription(), placeOf(query, error.getPattern()));
        }

        throw error instanceof RE2JSException ? invalidPattern(error.message) : error;
    }
    const translated = translateRegex(query);
    const regex = RE2JS.compile(translated.javascript, RE2JS.MULTILINE);
    return {
        ripgrepArguments: translated.ripgrep === undefined ? undefined : ["-e", translated.ripgrep],
        countLines: (block) => {
            const text = decodeLines(block);
            if (!regex.test(text)) return 0;

            const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
            return lines.reduce((count, line) => count + (regex.test(line) ? 1 : 0), 0);
        },
        find: (line) => {
            const matcher = regex.matcher(line);
            return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
        },
    };
}

/** The engine names the offending piece; for a parenthesis without its partner, the whole. */
function placeOf(query: string, piece: string | null): number | undefined {
    if (piece === null) return query.length - 1;

    return (piece === query ? unbalanced(query) : undefined) ?? Math.max(query.indexOf(piece), 0);
}

function unbalanced(query: string): number | undefined {
    const open: number[] = [];
    for (const token of regexTokens(query)) {
        if (token.kind === "group" && token.isOpen) open.push(token.index);
        else if (token.kind === "close" && open.pop() === undefined) return token.index;
    }
    return open.at(-1);
}
