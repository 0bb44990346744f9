import { oneLine, truncate } from "../base/format.js";
import { countLines } from "./chunks.js";
import type { Section } from "./section.js";
import type { LineError } from "./syntax-error.js";

interface BraceStyle {
    readonly lineComments: boolean;
    readonly type: "rule" | "block";
    /** Only the last line before the brace names the block, for languages without `;`. */
    readonly oneLineHeads: boolean;
}

/**
 * Skipped as a whole, so that no brace inside opens a block: comments, strings, unquoted URLs,
 * escapes, and the interpolations of SCSS (`#{...}`) and Less (`@{...}`).
 */
const SKIPPED =
    /\/\*[^]*?(?:\*\/|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|\b[uU][rR][lL]\(\s*[^)"'\s](?:(?![uU][rR][lL]\()[^)\n])*\)|[#@]\{(?:"[^"\n]*"|'[^'\n]*'|[^{}"'\n])*\}|\\[^]/;
const LINE_COMMENT = /\/\/[^\n]*/;
/** Characters that `SKIPPED` and `LINE_COMMENT` can start with. */
const SKIPPED_START = new Set("/\"'uU#@\\");
const MAX_NAME_LENGTH = 120;
/** Deeper blocks are left out: whatever reads the blocks recurses. */
const MAX_DEPTH = 500;

/** The text before a brace, on one line of bounded length. */
export function blockName(head: string): string {
    return truncate(oneLine(head), MAX_NAME_LENGTH) || "{}";
}

function blank(comment: string): string {
    return comment.replace(/[^\n]+/g, " ");
}

/** The last non-blank line and what follows it. */
function lastLine(text: string): string {
    const line = text.trimEnd();
    return line === "" ? "" : text.slice(line.lastIndexOf("\n") + 1);
}

function lineBreaks(text: string): number {
    return text.split("\n").length - 1;
}

function skippedIn(lineComments: boolean, flags: "g" | "y"): RegExp {
    const patterns = lineComments ? [SKIPPED, LINE_COMMENT] : [SKIPPED];
    return new RegExp(patterns.map(({ source }) => source).join("|"), flags);
}

/** The characters outside of comments, strings and escapes, with their line and the offset after them. */
function* codeIn(
    text: string,
    lineComments: boolean
): Generator<{ readonly character: string; readonly line: number; readonly end: number }> {
    const skipped = skippedIn(lineComments, "y");
    let line = 1;
    for (let at = 0; at < text.length;) {
        const start = at;
        skipped.lastIndex = at;
        if (SKIPPED_START.has(text[at] ?? "") && skipped.test(text)) {
            at = skipped.lastIndex;
            line += lineBreaks(text.slice(start, at));
            continue;
        }
        const character = text[at++] ?? "";
        if (character === "\n") line++;
        yield { character, line, end: at };
    }
}

/** Reads nested brace blocks, for text without a working parser. */
export function readBraces(
    text: string,
    { type, lineComments, oneLineHeads }: BraceStyle
): Section[] {
    const skipped = skippedIn(lineComments, "g");
    const sections: Section[] = [];
    const open: {
        readonly name: string;
        readonly startLine: number;
        readonly children: Section[];
    }[] = [];
    let headStart = 0;
    let parentheses = 0;
    let tooDeep = 0;
    /** `head`: the text between the last statement or block and the brace. */
    const begin = (head: string, line: number) => {
        if (open.length === MAX_DEPTH) {
            tooDeep++;
            return;
        }
        const code = head.replace(skipped, (each) => (/^\/[*/]/.test(each) ? blank(each) : each));
        const own = oneLineHeads ? lastLine(code) : code.trimStart();
        open.push({ name: blockName(own), startLine: line - lineBreaks(own), children: [] });
    };
    const close = (endLine: number) => {
        const block = open.pop();
        if (block) (open.at(-1)?.children ?? sections).push({ type, ...block, endLine });
    };
    for (const { character, line, end } of codeIn(text, lineComments)) {
        if (character === "(") parentheses++;
        else if (character === ")") parentheses = Math.max(0, parentheses - 1);
        else if (character === "{") begin(text.slice(headStart, end - 1), line);
        else if (character === "}" && tooDeep > 0) tooDeep--;
        else if (character === "}") close(line);
        // Inside parentheses, a semicolon separates the arguments of a Less mixin.
        const isEnd = character === ";" && parentheses === 0;
        if (!isEnd && character !== "{" && character !== "}") continue;
        headStart = end;
        parentheses = 0;
    }
    // Unclosed blocks extend to the end.
    const end = countLines(text);
    while (open.length > 0) close(end);
    return sections;
}

/** The first brace of a Less text that closes nothing, or the last one that nothing closes. */
export function braceErrors(text: string): readonly LineError[] {
    const open: number[] = [];
    for (const { character, line } of codeIn(text, true)) {
        if (character === "{") {
            open.push(line);
        } else if (character === "}" && open.pop() === undefined) {
            return [{ line, text: "Unexpected }" }];
        }
    }
    return open.slice(-1).map((start) => ({ line: start, text: "Unclosed block" }));
}
