import type { Token, TokensList } from "marked";
import { nest, type Section } from "./section.js";

const MAX_DEPTH = 5;

interface Heading {
    readonly level: number;
    readonly name: string;
    readonly startLine: number;
}

/** The number of front matter lines (YAML or TOML). */
function frontMatterLines(lines: readonly string[]): number {
    const fence = lines[0]?.trimEnd();
    if (fence !== "---" && fence !== "+++") return 0;
    const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === fence);
    return end + 1;
}

/**
 * The top-level blocks. The contents of lists and quotations only affect where those end, and each
 * level multiplies the cost, so levels below `MAX_DEPTH` are skipped.
 */
async function topBlocks(text: string): Promise<readonly Token[]> {
    const { Lexer } = await import("marked");
    let depth = 0;
    class OuterLexer extends Lexer {
        override blockTokens(source: string, tokens?: Token[], isCut?: boolean): TokensList {
            depth++;
            const blocks = super.blockTokens(depth > MAX_DEPTH ? "" : source, tokens, isCut);
            depth--;
            return Object.assign(blocks, { links: this.tokens.links });
        }
    }
    return new OuterLexer().blockTokens(text);
}

/** Headings inside lists and quotations start no section. */
function headingsIn(blocks: readonly Token[], firstLine: number): Heading[] {
    const headings: Heading[] = [];
    let line = firstLine;
    for (const block of blocks) {
        if (block.type === "heading") {
            const text: string = block.text;
            const name = text
                .replace(/\s+/g, (blank) => (blank.includes("\n") ? " " : blank))
                .trim();
            headings.push({ level: block.depth, name, startLine: line });
        }
        line += block.raw.split("\n").length - 1;
    }
    return headings;
}

/** The sections under a file's headings, nested by level. */
export async function readMarkdown(text: string): Promise<Section[]> {
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    const skipped = frontMatterLines(lines);
    const blocks = await topBlocks(`${lines.slice(skipped).join("\n")}\n`);
    const headings = headingsIn(blocks, skipped + 1);
    const drafts = headings.map((heading, index) => {
        const next = headings.slice(index + 1).find((other) => other.level <= heading.level);
        const endLine = next === undefined ? lines.length : next.startLine - 1;
        const children: Section[] = [];
        const { level, name, startLine } = heading;
        return { level, section: { type: "heading" as const, name, startLine, endLine, children } };
    });
    const top: Section[] = [];
    nest(
        drafts,
        (outer, inner) => outer.level < inner.level,
        (draft, outer) => (outer?.section.children ?? top).push(draft.section) > 0
    );
    return top;
}
