import type { Section } from "../../../code/section.js";
import { blockAround, importLines, withLeadingLines } from "./indentation.js";
import type { LineRange } from "../../../code/text/line-range.js";
import { readTextFile, type TextFile } from "../../../code/text/text-file.js";
import type { ToolContext } from "../../../plugin/index.js";

// Parts of a source file by its syntax tree, falling back to indentation if there is no tree or it
// lacks such a part.

type Source = Pick<TextFile, "path" | "lines">;

/** Returns the import block at the top; `undefined` if there is none. */
export async function importsOf(
    source: Source,
    signal: AbortSignal
): Promise<LineRange | undefined> {
    return importsIn(await sectionsOf(source, signal)) ?? importLines(source.lines);
}

/** Returns the function, class or other block around a range; the range itself if there is none. */
export async function enclosingBlock(
    source: Source,
    range: LineRange,
    signal: AbortSignal
): Promise<LineRange> {
    const section = innermost(await sectionsOf(source, signal), range);
    if (section === undefined) return blockAround(source.lines, range);
    const { startLine, endLine, definition } = section;
    // A definition includes the comments above it; a heading or rule starts at itself.
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

export async function readStructured(
    { workspace, signal }: Pick<ToolContext, "workspace" | "signal">,
    path: string
) {
    const file = await readTextFile(workspace, path);
    return { file, structure: await structureOf(file, signal) };
}

/** Merges the first import sections, up to the first section of another type. */
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

/** One-line sections (properties, constants) do not count as enclosing blocks. */
function isBlock({ type, startLine, endLine }: Section): boolean {
    return !["imports", "exports", "chunk"].includes(type) && endLine > startLine;
}
