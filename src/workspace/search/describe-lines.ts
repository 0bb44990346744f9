import type { SearchMatch } from "../../plugin/workspace.js";
import type { OpenFile } from "../open-file.js";
import type { Pacer } from "../../base/pacer.js";
import { countLines, lineBlocks, linesAt, withoutReturn } from "./line-blocks.js";
import type { FoundLine } from "./line-search.js";

/** In UTF-16 units; enough for any line that was written by hand. */
const MAX_SHOWN = 300;
const SHOWN_BEFORE = 100;

/**
 * Reads the lines that were found in a file, with their context; none of a binary file, which only a
 * reading of the whole finds out for sure.
 */
export async function describeLines(
    file: OpenFile,
    found: readonly FoundLine[],
    {
        contextLines,
        isWhole = false,
    }: { readonly contextLines: number; readonly isWhole?: boolean },
    pacer: Pacer
): Promise<readonly SearchMatch[]> {
    const starts = new Map(found.map(({ line, start }) => [line, start]));
    const lines = [...starts.keys()];
    const around = Array.from({ length: 2 * contextLines + 1 }, (_, index) => index - contextLines);
    const wanted = [...new Set(lines.flatMap((line) => around.map((apart) => line + apart)))]
        .filter((line) => line > 0)
        .sort((left, right) => left - right);
    const shown = new Map<number, { readonly text: string; readonly column: number }>();
    let number = 0;
    let next = 0;
    for (const block of lineBlocks(file.handle.fd, file.stats.size)) {
        if (block.includes(0)) return [];
        if (pacer.isDue) await pacer.breathe();
        const end = number + countLines(block);
        const inBlock: number[] = [];
        for (let line = wanted[next]; line !== undefined && line <= end; line = wanted[++next]) {
            inBlock.push(line - number);
        }
        for (const [inside, bytes] of linesAt(block, inBlock, number === 0)) {
            const line = withoutReturn(bytes);
            const before = line.toString("utf8", 0, starts.get(number + inside) ?? 0);
            const text = cutLine(line.toString(), before.length);
            shown.set(number + inside, { text, column: countPoints(before) + 1 });
        }
        number = end;
        if (next === wanted.length && !isWhole) break;
    }
    const textsOf = (first: number, end: number) =>
        [...shown].flatMap(([at, { text }]) => (at >= first && at < end ? text : []));
    return lines.flatMap((line) => {
        const at = shown.get(line);
        // The file was made shorter since.
        if (at === undefined) return [];
        const match = { path: file.path, line, column: at.column, preview: at.text };
        if (contextLines === 0) return match;
        const before = textsOf(line - contextLines, line);
        const after = textsOf(line + 1, line + 1 + contextLines);
        return { ...match, context: { before, after } };
    });
}

/** A line for display, cut around `focus` if it is long. */
function cutLine(text: string, focus: number): string {
    if (text.length <= MAX_SHOWN) return text;

    const wanted = Math.max(Math.min(focus - SHOWN_BEFORE, text.length - MAX_SHOWN), 0);
    const start = wanted + (isSecondHalf(text, wanted) ? 1 : 0);
    const last = start + MAX_SHOWN;
    const end = last - (isSecondHalf(text, last) ? 1 : 0);
    return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function countPoints(text: string): number {
    let count = text.length;
    for (let index = 1; index < text.length; index++) if (isSecondHalf(text, index)) count -= 1;

    return count;
}

/** Whether the unit at `index` is the second of a character that takes two. */
function isSecondHalf(text: string, index: number): boolean {
    const unit = text.charCodeAt(index);
    const before = text.charCodeAt(index - 1);
    return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
