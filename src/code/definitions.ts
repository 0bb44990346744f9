import { oneLine, truncate } from "../base/format.js";
import type { Node, Query, Tree } from "web-tree-sitter";
import type { TreeReader } from "./language.js";
import { readMatch, withoutDuplicates, type DefinitionMatch } from "./matches.js";
import { CLASS_TYPES, nest, type Section, type SectionType } from "./section.js";

const CALLABLE: ReadonlySet<string> = new Set<SectionType>(["function", "method"]);

/** A section under construction, with its extent in the text. */
interface DefinitionDraft {
    type: SectionType;
    name: string;
    parent: string | undefined;
    children: DefinitionDraft[];
    readonly start: number;
    readonly end: number;
    readonly startLine: number;
    endLine: number;
    /** Absent for runs of imports and exports. */
    readonly definition?: { line: number; signature: string; isCallable: boolean };
}

/** The part of a definition that its signature omits. */
function bodyOf({ node, value, body }: DefinitionMatch): Node | null {
    const own = body ?? node.childForFieldName("body") ?? value?.childForFieldName("body");
    return own ?? node.childForFieldName("accessors");
}

function draftOf(found: DefinitionMatch, text: string, reader: TreeReader): DefinitionDraft {
    const { node, nameNode, value } = found;
    const outer = outermost(node, reader);
    const isCallable = CALLABLE.has(found.type) || value !== undefined;
    return {
        type: found.type === "function" && found.parent !== undefined ? "method" : found.type,
        name: found.name,
        parent: found.parent,
        children: [],
        start: node.startIndex,
        end: node.endIndex,
        startLine: firstRow(outer, reader) + 1,
        endLine: lastRow(node) + 1,
        definition: {
            line: (nameNode ?? node).startPosition.row + 1,
            signature: signatureOf(text, outer, bodyOf(found), reader),
            isCallable,
        },
    };
}

/** Joins adjacent imports into one section. */
function draftRuns(nodes: readonly Node[], type: "imports" | "exports"): DefinitionDraft[] {
    const runs: DefinitionDraft[] = [];
    for (const node of nodes) {
        const startLine = node.startPosition.row + 1;
        const endLine = lastRow(node) + 1;
        const last = runs.at(-1);
        if (last !== undefined && startLine <= last.endLine + 2) {
            last.endLine = Math.max(last.endLine, endLine);
            continue;
        }
        const { startIndex: start, endIndex: end } = node;
        const extent = { start, end, startLine, endLine };
        runs.push({ type, name: type, parent: undefined, children: [], ...extent });
    }
    return runs;
}

/**
 * The type in its context: a function in a class is a method, and a function held by a variable is
 * a `const` unless it is local to another function.
 */
function typeIn(
    draft: DefinitionDraft,
    outer: DefinitionDraft | undefined,
    reader: TreeReader
): SectionType {
    if (outer?.definition === undefined) return draft.type;
    if (draft.type === "function") {
        const containers: readonly SectionType[] = reader.methodContainers ?? [];
        const isMethod = CLASS_TYPES.has(outer.type) || containers.includes(outer.type);
        return isMethod ? "method" : "function";
    }
    const isLocal = draft.definition?.isCallable === true && outer.definition.isCallable;
    return draft.type === "const" && isLocal ? "function" : draft.type;
}

/**
 * Whether a draft becomes a section: a block does only at the top or in another block, and only if
 * it is longer than a line.
 */
function isSection(draft: DefinitionDraft, outer: DefinitionDraft | undefined): boolean {
    if (draft.type !== "block") return true;
    const isTop = outer === undefined || outer.type === "block";
    return isTop && draft.endLine > draft.startLine;
}

/** An `impl` and a callback block have no name of their own, so their head is the name. */
function sectionOf(draft: DefinitionDraft): Section {
    const { type, startLine, endLine, definition, parent } = draft;
    const isNamed = definition === undefined || (type !== "impl" && type !== "block");
    const name = isNamed ? draft.name : definition.signature;
    const children = draft.children.map(sectionOf);
    const section = { type, name, startLine, endLine, children };
    if (definition === undefined) return section;
    return {
        ...section,
        definition: { ...definition, ...(parent === undefined ? {} : { parent }) },
    };
}

/** The definitions, imports and exports of a syntax tree, nested as in the text. */
export function readDefinitions(
    tree: Tree,
    query: Query,
    text: string,
    reader: TreeReader
): Section[] {
    const found: DefinitionMatch[] = [];
    const imports: Node[] = [];
    const exports: Node[] = [];
    for (const match of query.matches(tree.rootNode)) {
        const definition = readMatch(match);
        if (definition !== undefined) found.push(definition);
        for (const { name, node } of match.captures) {
            if (name === "import") imports.push(node);
            else if (name === "export") exports.push(node);
        }
    }
    const drafts = [
        ...withoutDuplicates(found).map((item) => draftOf(item, text, reader)),
        ...draftRuns(imports, "imports"),
        ...draftRuns(exports, "exports"),
    ].sort((a, b) => a.start - b.start || b.end - a.end);
    return nestDrafts(drafts, reader).map(sectionOf);
}

function nestDrafts(drafts: readonly DefinitionDraft[], reader: TreeReader): DefinitionDraft[] {
    const top: DefinitionDraft[] = [];
    nest(drafts, encloses, (draft, outer) => {
        if (!isSection(draft, outer)) return false;
        draft.type = typeIn(draft, outer, reader);
        draft.parent ??= parentIn(draft, outer);
        (outer?.children ?? top).push(draft);
        return true;
    });
    return top;
}

/** A C `typedef` may enclose the type it names, which is not its member. */
function parentIn(draft: DefinitionDraft, outer: DefinitionDraft | undefined): string | undefined {
    if (outer?.definition === undefined || outer.type === "block") return undefined;
    return outer.type === "type" && draft.type !== "method" ? undefined : outer.name;
}

/** Definitions with the same extent, from one statement, are siblings. */
function encloses(outer: DefinitionDraft, inner: DefinitionDraft): boolean {
    const isSmaller = inner.end - inner.start < outer.end - outer.start;
    return isSmaller && inner.end <= outer.end;
}

const MAX_SIGNATURE_LENGTH = 200;

/** The definition with its wrappers: `export`, `template <...>`, its decorators. */
function outermost(node: Node, reader: TreeReader): Node {
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
function firstRow(outer: Node, reader: TreeReader): number {
    let first = outer;
    for (let before = outer.previousNamedSibling; before !== null;) {
        if (reader.attributes?.includes(before.type) !== true) break;
        first = before;
        before = first.previousNamedSibling;
    }
    return first.startPosition.row;
}

/** The last row of a node; a trailing line break does not count. */
function lastRow(node: Node): number {
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

/** The head of a definition on one line: up to its body, or its first line if it has none. */
function signatureOf(text: string, outer: Node, body: Node | null, reader: TreeReader): string {
    const start = headStart(outer, reader.attributes ?? []);
    const end = body !== null && body.startIndex > start ? body.startIndex : outer.endIndex;
    // Avoids copying large definitions.
    let head = text.slice(start, Math.min(end, start + 8 * MAX_SIGNATURE_LENGTH));
    if (body === null) head = head.split("\n", 1)[0] ?? head;
    return truncate(oneLine(head).replace(/ ?[{:;(]$/, ""), MAX_SIGNATURE_LENGTH);
}
