import type { Node } from "web-tree-sitter";
import { withTree } from "./grammars.js";
import type { Language } from "./language.js";
import { languageOfId } from "./languages.js";
import { parsedStylesheet } from "./stylesheet.js";

export interface SyntaxError {
    readonly line: number;
    readonly text: string;
}

const MAX_ERRORS = 100;
const MAX_QUOTED_CHARACTERS = 40;

/**
 * The syntax errors of a text by line, including those of embedded scripts and style sheets; none
 * if there is no grammar.
 */
export async function readSyntaxErrors(
    { reader }: Language,
    text: string
): Promise<readonly SyntaxError[]> {
    switch (reader.kind) {
        case "tree":
            return withTree(reader, text, ({ rootNode }) => errorsIn(rootNode));
        case "stylesheet": {
            const { error } = await parsedStylesheet(text, reader.syntax);
            return error ? [{ line: error.line ?? 1, text: error.reason }] : [];
        }
        case "markup": {
            const { readMarkup } = await import("./markup.js");
            const errors: SyntaxError[] = [];
            await readMarkup(text, reader.selfClosing, async (embedded) => {
                const language = languageOfId(embedded.language);
                if (language) errors.push(...(await readSyntaxErrors(language, embedded.text)));
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

function errorsIn(root: Node): SyntaxError[] {
    const errors: SyntaxError[] = [];
    const open = root.hasError ? [root] : [];
    for (let node = open.pop(); node && errors.length < MAX_ERRORS; node = open.pop()) {
        const line = node.startPosition.row + 1;
        if (node.isMissing) errors.push({ line, text: `${node.type} is missing` });
        else if (node.isError) errors.push({ line, text: `near ${quoted(node.text)}` });
        else open.push(...node.children.filter((child) => child.hasError).reverse());
    }
    return errors;
}

function quoted(text: string): string {
    const [line = ""] = text.trim().split("\n");
    return `\`${line.length > MAX_QUOTED_CHARACTERS ? `${line.slice(0, MAX_QUOTED_CHARACTERS)}…` : line}\``;
}
