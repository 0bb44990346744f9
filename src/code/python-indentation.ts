import type { Node } from "web-tree-sitter";
import type { LineError } from "./syntax-error.js";

const OPENING = /^[([{]$/;
const CLOSING = /^[)\]}]$/;
const TAB_WIDTH = 8;

/**
 * The first line whose indentation Python refuses, by the rules of its lexer; the grammar accepts
 * any.
 */
export function indentationError(root: Node, source: string): LineError | undefined {
    const lines = source.split("\n");
    const open = [0];
    let depth = 0;
    let last: { readonly row: number; readonly text: string } | undefined;
    for (const { type, startPosition, endPosition } of tokensOf(root)) {
        const { row } = startPosition;
        const isContinued = last !== undefined && (lines[row - 1] ?? "").trimEnd().endsWith("\\");
        if (last?.row !== row && depth === 0 && !isContinued) {
            const width = widthOf(lines[row] ?? "");
            const current = open.at(-1) ?? 0;
            const line = row + 1;
            if (last?.text === ":") {
                if (width <= current) return { line, text: "an indented block is missing" };
                open.push(width);
            } else if (width > current) {
                return { line, text: "unexpected indentation" };
            } else {
                while ((open.at(-1) ?? 0) > width) open.pop();
                if (open.at(-1) !== width) return { line, text: "no block has this indentation" };
            }
        }
        if (OPENING.test(type)) depth += 1;
        if (CLOSING.test(type)) depth = Math.max(0, depth - 1);
        last = { row: endPosition.row, text: depth === 0 ? type : "" };
    }
    return last?.text === ":" ? { line: last.row + 1, text: "its block is missing" } : undefined;
}

/** In order, without comments; a string is one token. */
function* tokensOf(root: Node): Generator<Node> {
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        if (node.type === "comment" || node.type === "line_continuation") continue;
        if (node.type === "string" || (node.childCount === 0 && node.text.trim() !== "")) {
            yield node;
        } else {
            waiting.push(...node.children.filter((child) => child !== null).reverse());
        }
    }
}

function widthOf(line: string): number {
    let width = 0;
    for (const sign of line) {
        if (sign === " ") width += 1;
        else if (sign === "\t") width += TAB_WIDTH - (width % TAB_WIDTH);
        else break;
    }
    return width;
}
