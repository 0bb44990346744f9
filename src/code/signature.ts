import type { Node } from "web-tree-sitter";
import type { TreeReader } from "./language.js";

const MAX_SIGNATURE_LENGTH = 200;

/** The definition with its wrappers: `export`, `template <...>`, its decorators. */
export function outermost(node: Node, reader: TreeReader): Node {
    const wrappers = reader.wrappers ?? [];
    const attributes = reader.attributes ?? [];
    let outer = node;
    for (let parent = outer.parent; parent !== null; parent = outer.parent) {
        if (!wrappers.includes(parent.type)) break;
        const before = outer.previousNamedSibling;
        if (before !== null && !attributes.includes(before.type)) break;
        // One of several in a group, whose keywords are not its own.
        if (outer.nextNamedSibling !== null) break;
        outer = parent;
    }
    return outer;
}

/** The first row of a block, including its decorators. */
export function firstRow(outer: Node, reader: TreeReader): number {
    let first = outer;
    for (let before = outer.previousNamedSibling; before !== null;) {
        if (reader.attributes?.includes(before.type) !== true) break;
        first = before;
        before = first.previousNamedSibling;
    }
    return first.startPosition.row;
}

/** The last row of a node; a trailing line break does not count. */
export function lastRow(node: Node): number {
    const { row, column } = node.endPosition;
    return column === 0 && row > node.startPosition.row ? row - 1 : row;
}

function headStart(node: Node, attributes: readonly string[]): number {
    if (attributes.length === 0) return node.startIndex;
    for (const child of node.children) {
        if (attributes.includes(child.type)) continue;
        if (child.type === "modifiers") {
            const modifier = child.children.find((part) => !attributes.includes(part.type));
            if (modifier === undefined) continue;
            return modifier.startIndex;
        }
        return child.startIndex;
    }
    return node.startIndex;
}

function truncate(text: string): string {
    if (text.length <= MAX_SIGNATURE_LENGTH) return text;
    return `${text.slice(0, MAX_SIGNATURE_LENGTH - 1).trimEnd()}…`;
}

/** The head of a definition on one line: up to its body, or its first line if it has none. */
export function signatureOf(
    text: string,
    outer: Node,
    body: Node | null,
    reader: TreeReader
): string {
    const start = headStart(outer, reader.attributes ?? []);
    const end = body !== null && body.startIndex > start ? body.startIndex : outer.endIndex;
    // Avoids copying large definitions.
    let head = text.slice(start, Math.min(end, start + 8 * MAX_SIGNATURE_LENGTH));
    if (body === null) head = head.split("\n", 1)[0] ?? head;
    const line = head.replace(/\s+/g, " ").trim();
    return truncate(line.replace(/ ?[{:;(]$/, ""));
}
