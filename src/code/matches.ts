import { oneLine } from "../base/format.js";
import type { Node, QueryMatch } from "web-tree-sitter";
import { DEFINITION_TYPES, type SectionType } from "./section.js";

export interface DefinitionMatch {
    readonly type: SectionType;
    readonly node: Node;
    readonly nameNode: Node | undefined;
    readonly name: string;
    readonly parent: string | undefined;
    readonly value: Node | undefined;
    readonly body: Node | undefined;
    readonly pattern: number;
}

function isDefinition(type: string): type is SectionType {
    return DEFINITION_TYPES.has(type);
}

/** The name at the end of a chain of C declarators, and its qualifying scope. */
function declaredName(declarator: Node): { name: Node; scope: Node | undefined } {
    let name = declarator;
    let scope: Node | undefined;
    for (;;) {
        if (name.type === "qualified_identifier") {
            scope = name.childForFieldName("scope") ?? scope;
            const inner = name.childForFieldName("name");
            if (inner === null) return { name, scope };
            name = inner;
            continue;
        }
        if (name.type === "operator_cast") return { name, scope };
        const field = name.childForFieldName("declarator");
        const isWrapped = /^(reference|parenthesized|attributed)_declarator$/.test(name.type);
        const inner = field ?? (isWrapped ? name.lastNamedChild : null);
        if (inner === null) break;
        name = inner;
    }
    if (name.type === "template_function") name = name.childForFieldName("name") ?? name;
    return { name, scope };
}

function plainName(node: Node): string {
    const text = node.type === "operator_cast" ? (node.text.split("(")[0] ?? "") : node.text;
    const line = oneLine(text);
    return line.replace(/^(["'`])(.*)\1$/, "$2").replace(/^:(?=\w)/, "");
}

function scopeName(scope: Node): string {
    const name = scope.type === "template_type" ? scope.childForFieldName("name") : null;
    return (name ?? scope).text;
}

/** Reads the captures of a match; `undefined` if it defines nothing. */
export function readMatch(match: QueryMatch): DefinitionMatch | undefined {
    const nodes = new Map<string, Node>();
    let type: SectionType | undefined;
    for (const { name, node } of match.captures) {
        nodes.set(name, node);
        if (isDefinition(name)) type = name;
    }
    const node = type === undefined ? undefined : nodes.get(type);
    if (type === undefined || node === undefined) return undefined;
    const declarator = nodes.get("declarator");
    const declared = declarator === undefined ? undefined : declaredName(declarator);
    const nameNode = declared?.name ?? nodes.get("name");
    const scope = nodes.get("parent") ?? declared?.scope;
    const name = nameNode === undefined ? match.setProperties?.name : plainName(nameNode);
    if (!name) return undefined;
    return {
        type,
        node,
        nameNode,
        name,
        parent: scope === undefined ? undefined : scopeName(scope),
        value: nodes.get("value"),
        body: nodes.get("body"),
        pattern: match.patternIndex,
    };
}

/** Keeps one definition per name: the one of the first pattern. */
export function withoutDuplicates(found: readonly DefinitionMatch[]): DefinitionMatch[] {
    const byName = new Map<number, DefinitionMatch>();
    for (const item of found) {
        const isNamed = item.nameNode !== undefined && item.type !== "impl";
        const key = isNamed ? item.nameNode.startIndex : item.node.startIndex;
        const known = byName.get(key);
        if (known === undefined || item.pattern < known.pattern) byName.set(key, item);
    }
    return [...byName.values()];
}
