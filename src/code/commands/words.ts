import type { Node } from "web-tree-sitter";
import { unknown, type Word } from "./facts.js";

export interface ShellLine {
    readonly source: string;
    /** Whether the line does not set where the home folder, the current one and `cd` lead. */
    readonly hasFolders: boolean;
}

const SETS_FOLDERS = /(?<!\$|\$\{)\b(?:HOME|PWD|CDPATH)\b/;

export function shellLine(source: string): ShellLine {
    return { source, hasFolders: !SETS_FOLDERS.test(source) };
}

/** The words of a command: its name and arguments. */
export function wordsOf(command: readonly (Node | null)[], line: ShellLine): Word[] {
    return command
        .filter((child) => child !== null)
        .filter(({ type }) => type !== "variable_assignment" && !type.endsWith("_redirect"))
        .map((child) => {
            const name = child.type === "command_name" ? child.child(0) : child;
            return wordOf(name ?? child, line);
        });
}

/** The value of a word; `unknown` if only a run can tell. */
export function wordOf(node: Node, line: ShellLine): Word {
    const { source } = line;
    const shown = source.slice(node.startIndex, node.endIndex);
    const parts = node.type === "concatenation" ? node.children : [node];
    let glob = "";
    let text = "";
    let isPattern = false;
    for (const part of parts) {
        const value = part === null ? undefined : valueOf(part, line);
        if (value === undefined) return unknown(shown);
        text += value.text;
        glob += value.glob;
        isPattern ||= value.isPattern;
    }
    // The parts of a brace list are separate nodes: `{a` and `,b}`.
    const braces = bracesIn(glob);
    if (/[/~]/.test(braces)) return unknown(shown);
    if (isPattern || braces !== "") return { text: glob, kind: "pattern", shown };
    return { text, kind: "literal", shown };
}

/** From the first brace of a list to the last: `{a,b}`, `{1..9}`. */
function bracesIn(glob: string): string {
    const begin = glob.search(/(?<!\\)\{/);
    const text = begin < 0 ? "" : glob.slice(begin, glob.lastIndexOf("}") + 1);
    return /,|\.\./.test(text) ? text : "";
}

interface Value {
    readonly text: string;
    readonly glob: string;
    readonly isPattern: boolean;
}

function valueOf(node: Node, line: ShellLine): Value | undefined {
    const { source, hasFolders } = line;
    const raw = source.slice(node.startIndex, node.endIndex);
    switch (node.type) {
        case "command_name":
        case "word":
        case "number":
        case "extglob_pattern":
        case "regex":
        case "variable_name":
        case "test_operator":
            return unquoted(raw);
        case "raw_string":
            return quoted(raw.slice(1, -1));
        case "simple_expansion":
        case "expansion":
        case "command_substitution":
            return hasFolders ? folderOf(raw) : undefined;
        case "string":
            return node.namedChildren.every((child) => child?.type === "string_content")
                ? quoted(inQuotes(raw))
                : stringOf(node, line);
        case "ansi_c_string":
            return raw.includes("\\") ? undefined : quoted(raw.slice(2, -1));
        default:
            return node.isNamed ? undefined : unquoted(raw);
    }
}

function folderOf(raw: string): Value | undefined {
    if (/^\$(?:HOME|\{HOME\})$/.test(raw)) return quoted("~");
    return /^(?:\$(?:PWD|\{PWD\}|\(pwd\))|`pwd`)$/.test(raw) ? quoted(".") : undefined;
}

/** `"$HOME/a b"` */
function stringOf(node: Node, { source, hasFolders }: ShellLine): Value | undefined {
    let text = "";
    let from = node.startIndex + 1;
    for (const part of node.namedChildren) {
        if (part === null || part.type === "string_content") continue;
        const raw = source.slice(part.startIndex, part.endIndex);
        const folder = hasFolders ? folderOf(raw) : undefined;
        if (folder === undefined) return undefined;
        text += inQuotes(`"${source.slice(from, part.startIndex)}"`) + folder.text;
        from = part.endIndex;
    }
    return quoted(text + inQuotes(`"${source.slice(from, node.endIndex - 1)}"`));
}

function inQuotes(raw: string): string {
    return raw.slice(1, -1).replace(/\\([\\"$`\n])/g, (_, sign: string) => sign.trim());
}

function unquoted(raw: string): Value | undefined {
    if (/[$`]/.test(raw.replace(/\\[^]/g, ""))) return undefined;
    const text = raw.replace(/\\([^])/g, (_, sign: string) => (sign === "\n" ? "" : sign));
    const isPattern = /[*?[]/.test(raw.replace(/\\[^]/g, ""));
    return { text, glob: raw, isPattern };
}

function quoted(text: string): Value {
    return { text, glob: text.replace(/[\\*?[\]{},()!]/g, "\\$&"), isPattern: false };
}
