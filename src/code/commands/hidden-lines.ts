import type { Node } from "web-tree-sitter";
import { atRunTime, type Fact } from "./facts.js";
import { variableFacts } from "./git-rules.js";
import { wordOf, type ShellLine } from "./words.js";

// Bash expands more than the grammar parses: backticks in a here-document or in `${x:-…}`, and the
// index of an array wherever it computes, even in quotes: `[[ -v 'a[$(date)]' ]]`.

const EXPANDED = new Set(["word", "regex", "extglob_pattern", "heredoc_body", "heredoc_content"]);
const QUOTED = new Set(["raw_string", "ansi_c_string", "string", "concatenation"]);
/** What computes with its words, or assigns to names that it is given. */
const COMPUTING = new Set(["test_command", "unset_command", "arithmetic_expansion", "subscript"]);
const ASSIGNING = new Set(["variable_assignment", "declaration_command"]);
/** Computes with the values of variables, or expands them as a prompt. */
const COMPUTES = /\(\(|\$\[|\blet\b|\s-(?:eq|ne|[lg][te]|\w?i)\s|@P\}|\bPS[0-4]\b|\bPROMPT_/;

/** The programs that compute with their arguments. */
export function computes(name: string, [option]: readonly { readonly text: string }[]): boolean {
    if (name === "printf") return option?.text === "-v";
    return /^(?:test|\[|let|read|mapfile|readarray|unset|getopts|wait)$/.test(name);
}

/** The command lines in what a node leaves unparsed. */
export function hiddenLines(node: Node, line: ShellLine): readonly string[] {
    if (node.type === "variable_assignment") return givenLine(node, line);
    // What is escaped in backticks is parsed once more.
    if (node.type === "command_substitution" && /^`[^]*\\/.test(node.text)) {
        return linesIn(node.text);
    }
    if (EXPANDED.has(node.type)) return isQuotedDocument(node) ? [] : linesIn(unparsed(node, line));
    if (!QUOTED.has(node.type) || !/[$`]/.test(node.text) || !isComputed(node, line)) return [];
    const { kind, text } = wordOf(node, line);
    return kind === "literal" ? linesIn(text) : [];
}

/** What a node sets for git, or runs although it is text. */
export function hiddenFacts(node: Node): readonly Fact[] {
    // Reading the text of every node of a deep tree would take quadratic time.
    switch (node.type) {
        case "variable_assignment":
            return variableFacts(node.text);
        case "expansion":
            return node.text.endsWith("@P}") ? [atRunTime("runs what is", node.text)] : [];
        default:
            return [];
    }
}

/**
 * Whether the grammar took a line that starts with a backslash for more of the line before it, or
 * split a word where its line continues.
 */
export function isMisread(words: readonly Node[], source: string): boolean {
    return words.some(({ startIndex }, index) => {
        const gap = source.slice(words[index - 1]?.endIndex ?? startIndex, startIndex);
        return source[startIndex] === "\n" || /^(?:\\\n)+$/.test(gap);
    });
}

/** Many variables of programs name a command: `EDITOR='sh -c …' git commit`. */
function givenLine(node: Node, line: ShellLine): readonly string[] {
    const value = node.childForFieldName("value");
    const isGiven = /^(?:command|declaration_command)$/.test(node.parent?.type ?? "");
    if (!value || !isGiven) return [];
    const { kind, text } = wordOf(value, line);
    return kind === "literal" && /\s/.test(text.trim()) ? [text] : [];
}

/** The command lines in `$(…)` and backticks, without those inside them. */
export function linesIn(text: string): readonly string[] {
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += 1) {
        if (text[at] === "\\") {
            at += 1;
        } else if (text[at] === "`" || text.startsWith("$(", at)) {
            const begin = text[at] === "`" ? at + 1 : at + 2;
            at = endOf(text, begin, text[at] === "`");
            const inner = text.slice(begin, at);
            lines.push(text[begin - 1] === "`" ? inner.replace(/\\([\\$`])/g, "$1") : inner);
        }
    }
    return lines;
}

function endOf(text: string, begin: number, isBacktick: boolean): number {
    let depth = 1;
    for (let at = begin; at < text.length; at += 1) {
        if (text[at] === "\\") at += 1;
        else if (isBacktick ? text[at] === "`" : text[at] === ")" && --depth === 0) return at;
        else if (text[at] === "(") depth += 1;
    }
    return text.length;
}

function isQuotedDocument({ type, parent }: Node): boolean {
    if (!type.startsWith("heredoc_")) return false;
    const document = type === "heredoc_content" ? parent?.parent : parent;
    const start = document?.namedChildren.find((child) => child?.type === "heredoc_start");
    return /['"\\]/.test(start?.text ?? "");
}

function unparsed({ startIndex, endIndex, namedChildren }: Node, { source }: ShellLine): string {
    let from = startIndex;
    let text = "";
    for (const child of namedChildren) {
        if (child === null) continue;
        text += `${source.slice(from, child.startIndex)} `;
        from = child.endIndex;
    }
    return text + source.slice(from, endIndex);
}

function isComputed({ parent }: Node, { source }: ShellLine): boolean {
    for (let node = parent; node && node.type !== "command"; node = node.parent) {
        if (COMPUTING.has(node.type)) return true;
        if (ASSIGNING.has(node.type)) return COMPUTES.test(source);
        if (/redirect|substitution$/.test(node.type)) return false;
    }
    return false;
}
