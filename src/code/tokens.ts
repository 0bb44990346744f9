import type { Node } from "web-tree-sitter";
import { withTree } from "./grammars.js";
import type { Language } from "./language.js";

/** A leaf of a syntax tree: a word, a sign or a whole string. Comments are none. */
export interface Token {
    readonly text: string;
    /** What it is and how deep: layout can change only where this stays. */
    readonly place: string;
    readonly isName: boolean;
    /** Whether it introduces the name: of a function, a variable, a parameter. */
    readonly isDefinition: boolean;
}

/** The tokens of a text in order; none without a grammar. */
export async function readTokens({ reader }: Language, text: string): Promise<readonly Token[]> {
    if (reader.kind !== "tree") return [];
    return withTree(reader, text, ({ rootNode }) => {
        const tokens: Token[] = [];
        const waiting: { node: Node; depth: number }[] = [{ node: rootNode, depth: 0 }];
        for (let next = waiting.pop(); next; next = waiting.pop()) {
            const { node, depth } = next;
            if (node.type.includes("comment")) continue;
            if (node.childCount > 0 && !isWhole(node)) {
                const children = node.children.filter((child) => child !== null);
                waiting.push(
                    ...children.reverse().map((child) => ({ node: child, depth: depth + 1 }))
                );
                continue;
            }
            const isName = /identifier|^(?:name|constant|word)$/.test(node.type);
            tokens.push({
                text: node.text,
                place: `${depth} ${node.type}`,
                isName,
                isDefinition: isName && isDefinition(node),
            });
        }
        return tokens;
    });
}

/** Some grammars have no nodes for what is in a string; what is in a broken part is anybody's guess. */
function isWhole({ type, isError }: Node): boolean {
    return isError || /string|template|heredoc|regex|char_literal|jsx_text/.test(type);
}

/** Fields that hold what is defined, in all grammars used here. */
const DEFINING = ["name", "pattern", "left", "declarator", "alias"];

function isDefinition(node: Node): boolean {
    const { parent } = node;
    if (!parent || /import|export|argument|access|member|attribute|call/.test(parent.type)) {
        return false;
    }
    if (parent.type.includes("parameter")) return true;
    return DEFINING.some((field) => parent.childForFieldName(field)?.id === node.id);
}
