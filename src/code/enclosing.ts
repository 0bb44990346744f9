import { countBelow } from "../base/count-below.js";
import { CLASS_TYPES, type Section, type SectionType } from "./section.js";

type EnclosingKind = "function" | "class" | "method" | "block" | "any";

interface EnclosingBlock {
    readonly section: Section;
    readonly kind: Exclude<EnclosingKind, "any">;
}

const NO_BLOCKS: ReadonlySet<SectionType> = new Set<SectionType>(["imports", "exports", "chunk"]);

function kindOf(section: Section): EnclosingBlock["kind"] | undefined {
    const { type, definition, startLine, endLine } = section;
    if (NO_BLOCKS.has(type)) return undefined;
    if (type === "method") return "method";
    if (CLASS_TYPES.has(type)) return "class";
    if (type === "property" && startLine === endLine) return undefined;
    return definition?.isCallable === true && type !== "block" ? "function" : "block";
}

/** The lines on which the matches of a text begin. */
function linesWith(text: string, query: string): readonly number[] {
    const lines: number[] = [];
    let line = 1;
    let counted = 0;
    for (let at = text.indexOf(query); at !== -1; at = text.indexOf(query, at + query.length)) {
        line += text.slice(counted, at).split("\n").length - 1;
        counted = at;
        lines.push(line);
    }
    return lines;
}

/**
 * The innermost block of a kind around each match of a text; of sections on the same lines the first.
 * Every block is listed once, after the blocks inside it. `occurrences` counts all matches, enclosed
 * or not.
 */
export function enclosingBlocks(
    sections: readonly Section[],
    text: string,
    query: string,
    kind: EnclosingKind
): { readonly blocks: readonly EnclosingBlock[]; readonly occurrences: number } {
    const lines = linesWith(text, query);
    const height = query.split("\n").length - 1;
    const enclosed = new Set<number>();
    const blocksIn = (some: readonly Section[]): readonly EnclosingBlock[] =>
        some.flatMap((section) => {
            const from = countBelow(lines, section.startLine);
            const to = countBelow(lines, section.endLine - height + 1);
            if (from >= to) return [];
            const inner = blocksIn(section.children);
            const own = kindOf(section);
            if (own === undefined || (kind !== "any" && kind !== own)) return inner;
            const before = enclosed.size;
            for (let match = from; match < to; match++) enclosed.add(match);
            return enclosed.size > before ? [...inner, { section, kind: own }] : inner;
        });
    return { blocks: blocksIn(sections), occurrences: lines.length };
}
