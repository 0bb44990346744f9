import { truncate } from "../base/format.js";
import type { Node } from "web-tree-sitter";
import { braceErrors } from "./braces.js";
import { withTree } from "./grammars.js";
import type { Language, TreeReader } from "./language.js";
import { languageOfId } from "./languages.js";
import { indentationError } from "./python-indentation.js";
import type { LineError } from "./syntax-error.js";
import { parsedStylesheet } from "./stylesheet.js";
import type { ParserPlugin } from "@babel/parser";

const MAX_ERRORS = 100;
const MAX_QUOTED_CHARACTERS = 40;

/**
 * The syntax errors of a text by line, including those of embedded scripts and style sheets; none
 * if there is no grammar.
 */
export async function readSyntaxErrors(
    { reader }: Language,
    text: string
): Promise<readonly LineError[]> {
    switch (reader.kind) {
        case "tree": {
            if (!(reader.grammar in DIALECTS)) {
                return withTree(reader, text, ({ rootNode }) => treeErrors(rootNode, reader, text));
            }
            const first = await scriptError(text, reader.grammar);
            if (!first) return [];
            // Babel stops at the first.
            const errors = await withTree(reader, text, ({ rootNode }) => errorsIn(rootNode));
            return errors.length > 0 ? errors : [first];
        }
        case "stylesheet": {
            if (reader.syntax === "less") return braceErrors(text);
            const { error } = await parsedStylesheet(text, reader.syntax);
            return error ? [{ line: error.line ?? 1, text: error.reason }] : [];
        }
        case "markup": {
            const { readMarkup } = await import("./markup.js");
            const errors: LineError[] = [];
            await readMarkup(text, reader.selfClosing, async (embedded) => {
                const language = languageOfId(embedded.language);
                // A template, which becomes a script only when rendered.
                const isTemplate = /\{\{|\{%|<%|<\?/.test(embedded.text);
                if (language && !isTemplate) {
                    errors.push(...(await readSyntaxErrors(language, embedded.text)));
                }
                return [];
            });
            return errors;
        }
        case "markdown":
            return [];
        default:
            return reader satisfies never;
    }
}

/** What Python's rules, unbalanced brackets or stray signs confirm; a grammar may be behind its language. */
function treeErrors(root: Node, { grammar }: TreeReader, text: string): readonly LineError[] {
    if (PREPROCESSED.test(text) && /^(?:cpp|c-sharp)$/.test(grammar)) return [];
    if (HERE_DOCUMENT.test(text) && grammar === "bash") return [];
    const isUnbalanced = balanceOf(root) !== "balanced";
    const isConfirmed = isUnbalanced || (!EXTENDED.test(grammar) && !isOnlyWords(root));
    const errors = isConfirmed ? errorsIn(root) : [];
    if (!root.hasError && grammar in STRAY) return strayWords(root, grammar);
    const indentation = grammar === "python" && !root.hasError && indentationError(root, text);
    return indentation ? [indentation] : errors;
}

/** Macros, or lines that are continued in ways of their own, make these more than their grammars. */
const EXTENDED = /^(?:bash|c|cpp|c-sharp|python|rust)$/;

/** New syntax comes with new words, which the grammar stumbles over; not with signs. */
function isOnlyWords(root: Node): boolean {
    const waiting = [root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
        if (node.isMissing || (node.isError && !/^[\w\s]*$/.test(node.text))) return false;
        if (node.hasError) waiting.push(...node.children.filter((each) => each !== null));
    }
    return true;
}

/** Only a preprocessor knows which brackets remain. */
const PREPROCESSED = /^[ \t]*#[ \t]*(?:if|define)/m;
/** The grammar does not follow all forms of these. */
const HERE_DOCUMENT = /<<-?\s*[\\'"\w]/;
const OPENING = /^(?:[$#]?\{|[$<>]?\(|\[)$/;
const CLOSING: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether brackets are left open, or they or JSX elements do not match. */
function balanceOf(root: Node): "balanced" | "open" | "mismatched" {
    if (!root.hasError) return "balanced";
    const open: string[] = [];
    let elements = 0;
    const waiting = [root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
        const { type } = node;
        if (type === "jsx_opening_element") elements += 1;
        if (type === "jsx_closing_element") elements -= 1;
        if (node.childCount > 0) {
            waiting.push(...node.children.filter((each) => each !== null).reverse());
        } else if (node.isMissing) {
            continue;
        } else if (OPENING.test(type)) {
            open.push(type.at(-1) ?? "");
        } else if (type in CLOSING && open.pop() !== CLOSING[type]) {
            return "mismatched";
        }
    }
    if (elements !== 0) return "mismatched";
    return open.length > 0 ? "open" : "balanced";
}

/** Reserved words that close or continue a block, where the grammars take them for names. */
const STRAY: Readonly<Record<string, (root: Node) => readonly (Node | null)[]>> = {
    bash: (root) =>
        root
            .descendantsOfType("command_name")
            .filter((node) => /^(?:then|do|done|fi|esac|else|elif|\})$/.test(node?.text ?? "")),
    ruby: (root) =>
        root.namedChildren.filter((node) => node?.type === "identifier" && node.text === "end"),
};

function strayWords(root: Node, grammar: string): LineError[] {
    const nodes = STRAY[grammar]?.(root) ?? [];
    return nodes.flatMap((node) =>
        node ? { line: node.startPosition.row + 1, text: `near ${quoted(node.text)}` } : []
    );
}

function errorsIn(root: Node): LineError[] {
    const errors: LineError[] = [];
    const isOpen = balanceOf(root) === "open";
    const open = root.hasError ? [root] : [];
    for (let node = open.pop(); node && errors.length < MAX_ERRORS; node = open.pop()) {
        if (node.isMissing || node.isError) errors.push(errorAt(node, isOpen));
        else open.push(...node.children.filter((child) => child.hasError).reverse());
    }
    return errors;
}

function errorAt(node: Node, isOpen: boolean): LineError {
    // What is never closed makes an error of everything around it, from the first line on.
    const bracket = isOpen ? unclosed(node) : undefined;
    const begun = bracket ?? (node.parent === null ? node.children.findLast(isWord) : undefined);
    const line = (begun ?? node).startPosition.row + 1;
    if (begun) return { line, text: `unterminated ${quoted(begun.type)}` };
    const text = node.isMissing ? `${node.type} is missing` : `near ${quoted(node.text)}`;
    return { line, text };
}

/** The last bracket of an error that nothing in it closes. */
function unclosed({ children }: Node): Node | undefined {
    const open: Node[] = [];
    for (const child of children) {
        if (child && OPENING.test(child.type)) open.push(child);
        else if (child && child.type in CLOSING) open.pop();
    }
    return open.at(-1);
}

/** Whether it is a word of the language itself, such as `class`. */
function isWord(node: Node | null): node is Node {
    return node !== null && !node.isNamed && /^[a-z]+$/.test(node.type);
}

function quoted(text: string): string {
    const [line = ""] = text.trim().split("\n");
    return `\`${truncate(line, MAX_QUOTED_CHARACTERS)}\``;
}

/** The plugins to try for each grammar: a text is wrong if it fails with all. */
const DIALECTS: Readonly<Record<string, readonly (readonly ParserPlugin[])[]>> = {
    javascript: [
        ["jsx", "decorators", "decoratorAutoAccessors"],
        ["jsx", "flow", "flowComments"],
    ],
    typescript: [["typescript", "decorators-legacy", "decoratorAutoAccessors"]],
    tsx: [["typescript", "jsx", "decorators-legacy", "decoratorAutoAccessors"]],
};

/** The first syntax error of a script or module; a `return` may stand outside of functions, as in CommonJS. */
async function scriptError(text: string, grammar: string): Promise<LineError | undefined> {
    const { parse } = await import("@babel/parser");
    let first: LineError | undefined;
    for (const plugins of DIALECTS[grammar] ?? []) {
        try {
            parse(text, {
                sourceType: "unambiguous",
                plugins: [...plugins],
                allowReturnOutsideFunction: true,
                allowUndeclaredExports: true,
            });
            return undefined;
        } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            first ??= { line: lineOf(error), text: error.message.replace(/ \(\d+:\d+\)$/, "") };
        }
    }
    return first;
}

function lineOf(error: Error & { readonly loc?: { readonly line: number } }): number {
    return error.loc?.line ?? 1;
}
