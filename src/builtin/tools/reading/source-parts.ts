import type { Section } from "../../../code/section.js";
import { blockAround, importLines, withLeadingLines } from "./indentation.js";
import type { LineRange } from "../../../code/text/line-range.js";
import { readTextFile, type TextFile } from "../../../code/text/text-file.js";
import type { ToolContext } from "../../../plugin/index.js";

// Parts of a source file by its syntax tree, and by its layout where there is no tree or the tree
// knows of no such part.

type Source = Pick<TextFile, "path" | "lines">;

/** The block of imports at the top; `undefined` where there is none. */
export async function importsOf(
    source: Source,
    signal: AbortSignal
): Promise<LineRange | undefined> {
    return importsIn(await sectionsOf(source, signal)) ?? importLines(source.lines);
}

/** The function, class or other block around a range; the range itself where there is none. */
export async function enclosingBlock(
    source: Source,
    range: LineRange,
    signal: AbortSignal
): Promise<LineRange> {
    const section = innermost(await sectionsOf(source, signal), range);
    if (section === undefined) return blockAround(source.lines, range);
    const { startLine, endLine, definition } = section;
    // Above a definition stands what is said of it; a heading or a rule begins with itself.
    const start =
        definition === undefined ? startLine : withLeadingLines(source.lines, startLine - 1) + 1;
    return { start, end: endLine };
}

export async function sectionsOf(source: Source, signal: AbortSignal): Promise<readonly Section[]> {
    return (await structureOf(source, signal)).sections;
}

async function structureOf({ path, lines }: Source, signal: AbortSignal) {
    const { readStructure } = await import("../../../code/structure.js");
    return readStructure(path, lines.join("\n"), signal);
}

/** A text file with its structure. */
export async function readStructured(
    { workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
    path: string
) {
    const file = await readTextFile(workspace, path);
    return { file, structure: await structureOf(file, signal) };
}

/** The first run of imports, with those that follow before anything else does. */
function importsIn(sections: readonly Section[]): LineRange | undefined {
    const first = sections.findIndex(({ type }) => type === "imports");
    if (first === -1) return undefined;
    const rest = sections.slice(first);
    const next = rest.findIndex(({ type }) => type !== "imports");
    const runs = next === -1 ? rest : rest.slice(0, next);
    return {
        start: rest[0]?.startLine ?? 1,
        end: Math.max(...runs.map(({ endLine }) => endLine)),
    };
}

function innermost(sections: readonly Section[], range: LineRange): Section | undefined {
    for (const section of sections) {
        if (range.start < section.startLine || range.end > section.endLine) continue;
        const inner = innermost(section.children, range);
        if (inner !== undefined) return inner;
        if (isBlock(section)) return section;
    }
    return undefined;
}

/** A property or constant on a line of its own says nothing about where it stands. */
function isBlock({ type, startLine, endLine }: Section): boolean {
    return !["imports", "exports", "chunk"].includes(type) && endLine > startLine;
}
