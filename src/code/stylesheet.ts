import type { ChildNode, CssSyntaxError, Root } from "postcss";
import { blockName, readBraces } from "./braces.js";
import type { Section } from "./section.js";

/** Which rules beside those of CSS a style sheet follows. */
export type StylesheetSyntax = "css" | "scss" | "less";

async function parserOf(syntax: StylesheetSyntax): Promise<((text: string) => Root) | undefined> {
    switch (syntax) {
        case "css":
            return (await import("postcss")).default.parse;
        case "scss":
            return (await import("postcss-scss")).default.parse;
        case "less":
            // postcss-less 6 gives wrong lines behind a quote in a line comment.
            return undefined;
        default:
            return syntax satisfies never;
    }
}

/**
 * The rules of a style sheet with those nested in them: selectors, `@media`, `@keyframes`, mixins.
 * Where no parser is right for it, or it has errors, they are the blocks that its braces make.
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

/** The tree of a style sheet, or why it has none; neither where no parser is right for it. */
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

/** A node with braces: also a declaration in SCSS, of properties that begin with the same word. */
type Block = ChildNode & { readonly nodes: readonly ChildNode[] };

function isBlock(node: ChildNode): node is Block {
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

function headOf(block: Block): string {
    if (block.type === "rule") return block.selector;
    if (block.type === "decl") return block.prop;
    return block.type === "atrule"
        ? `@${block.name}${block.raws.afterName ?? " "}${block.params}`
        : block.text;
}

/** The steps of an animation are values rather than rules. */
function withoutAnimationSteps(rule: Section): Section {
    const isAnimation = /^@(?:-\w+-)?keyframes\b/i.test(rule.name);
    return { ...rule, children: isAnimation ? [] : rule.children.map(withoutAnimationSteps) };
}
