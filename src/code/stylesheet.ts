import type { ChildNode, CssSyntaxError, Root } from "postcss";
import { blockName, readBraces } from "./braces.js";
import type { Section } from "./section.js";

export type StylesheetSyntax = "css" | "scss" | "less";

async function parserOf(syntax: StylesheetSyntax): Promise<((text: string) => Root) | undefined> {
    switch (syntax) {
        case "css":
            return (await import("postcss")).default.parse;
        case "scss":
            return (await import("postcss-scss")).default.parse;
        case "less":
            // postcss-less 6 reports wrong lines after a quote in a line comment.
            return undefined;
        default:
            return syntax satisfies never;
    }
}

/**
 * The nested rules of a style sheet: selectors, `@media`, `@keyframes`, mixins. Falls back to its
 * brace blocks if there is no correct parser, or on errors.
 */
export async function readStylesheet(text: string, syntax: StylesheetSyntax): Promise<Section[]> {
    const { root } = await parsedStylesheet(text, syntax);
    const lineComments = syntax !== "css";
    const rules =
        root === undefined
            ? readBraces(text, { lineComments, type: "rule", oneLineHeads: false })
            : rulesIn(root.nodes);
    return rules.map(withoutAnimationSteps);
}

/** The tree of a style sheet, or its syntax error; neither without a correct parser. */
export async function parsedStylesheet(
    text: string,
    syntax: StylesheetSyntax
): Promise<{ readonly root?: Root; readonly error?: CssSyntaxError }> {
    const parse = await parserOf(syntax);
    try {
        return parse ? { root: parse(text) } : {};
    } catch (error) {
        if (isCssSyntaxError(error)) return { error };
        throw error;
    }
}

function isCssSyntaxError(error: unknown): error is CssSyntaxError {
    return error instanceof Error && error.name === "CssSyntaxError";
}

/** A node with braces, including SCSS declarations with nested properties. */
type RuleBlock = ChildNode & { readonly nodes: readonly ChildNode[] };

function isBlock(node: ChildNode): node is RuleBlock {
    return "nodes" in node && node.nodes !== undefined;
}

function rulesIn(nodes: readonly ChildNode[]): Section[] {
    return nodes.filter(isBlock).map((block) => {
        const startLine = block.source?.start?.line ?? 1;
        const endLine = block.source?.end?.line ?? startLine;
        const name = blockName(headOf(block));
        return { type: "rule", name, startLine, endLine, children: rulesIn(block.nodes) };
    });
}

function headOf(block: RuleBlock): string {
    if (block.type === "rule") return block.selector;
    if (block.type === "decl") return block.prop;
    return block.type === "atrule"
        ? `@${block.name}${block.raws.afterName ?? " "}${block.params}`
        : block.text;
}

/** Steps of an animation are values, not rules. */
function withoutAnimationSteps(rule: Section): Section {
    const isAnimation = /^@(?:-\w+-)?keyframes\b/i.test(rule.name);
    return { ...rule, children: isAnimation ? [] : rule.children.map(withoutAnimationSteps) };
}
