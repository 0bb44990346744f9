import { CLASS_TYPES, type Section, type SectionType } from "./section.js";

type EnclosingKind = "function" | "class" | "method" | "block" | "any";

interface EnclosingBlock {
    readonly section: Section;
    readonly kind: Exclude<EnclosingKind, "any">;
}

interface TextMatch {
    readonly startLine: number;
    readonly endLine: number;
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

function matchesOf(text: string, query: string): TextMatch[] {
    const matches: TextMatch[] = [];
    const height = query.split("\n").length - 1;
    let startLine = 1;
    let counted = 0;
    for (let at = text.indexOf(query); at !== -1; at = text.indexOf(query, at + query.length)) {
        startLine += text.slice(counted, at).split("\n").length - 1;
        counted = at;
        matches.push({ startLine, endLine: startLine + height });
    }
    return matches;
}

/** The innermost block around a match. Sections on the same lines are tried in order. */
function innermost(
    sections: readonly Section[],
    match: TextMatch,
    kind: EnclosingKind
): EnclosingBlock | undefined {
    for (const section of sections) {
        if (match.startLine < section.startLine || match.endLine > section.endLine) continue;
        const inner = innermost(section.children, match, kind);
        if (inner !== undefined) return inner;
        const actual = kindOf(section);
        if (actual !== undefined && (kind === "any" || kind === actual)) {
            return { section, kind: actual };
        }
    }
    return undefined;
}

/** Yields sections in order, each after those inside it. */
function* innerFirst(sections: readonly Section[]): Generator<Section> {
    for (const section of sections) {
        yield* innerFirst(section.children);
        yield section;
    }
}

/**
 * The innermost block of a kind around each match of a text. Every block is listed once, after the
 * blocks inside it. `occurrences` counts all matches, enclosed or not.
 */
export function enclosingBlocks(
    sections: readonly Section[],
    text: string,
    query: string,
    kind: EnclosingKind
): { readonly blocks: readonly EnclosingBlock[]; readonly occurrences: number } {
    const matches = matchesOf(text, query);
    const found = new Map<Section, EnclosingBlock>();
    for (const match of matches) {
        const block = innermost(sections, match, kind);
        if (block !== undefined) found.set(block.section, block);
    }
    const blocks = [...innerFirst(sections)].flatMap((section) => found.get(section) ?? []);
    return { blocks, occurrences: matches.length };
}
