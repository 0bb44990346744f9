import type { SearchMatch } from "../../plugin/workspace.js";
import type { OpenFile } from "../open-file.js";
import type { Pacer } from "../../base/pacer.js";
import { beginningOf, lineBlocks, linesAround, withoutReturn } from "./line-blocks.js";
import type { FoundLine } from "./line-search.js";

/** Max line length shown, in UTF-16 units; enough for any hand-written line. */
const MAX_SHOWN = 300;
const SHOWN_BEFORE = 100;

/** Returns nothing for a binary file, which only reading all of it can detect for sure. */
export async function describeLines(
    file: OpenFile,
    found: readonly FoundLine[],
    {
        contextLines,
        isWhole = false,
    }: { readonly contextLines: number; readonly isWhole?: boolean },
    pacer: Pacer
): Promise<readonly SearchMatch[]> {
    const descriptor = file.handle.fd;
    const last = isWhole ? Infinity : Math.max(...found.map(({ offset }) => offset));
    let beginning = 0;
    let position = 0;
    for (const block of lineBlocks(descriptor, file.stats.size)) {
        if (block.includes(0)) return [];
        if (position === 0) beginning = beginningOf(block, true);
        position += block.length;
        if (position > last + beginning) break;
        if (pacer.isDue) await pacer.yieldToEventLoop();
    }
    const shown = (bytes: Buffer) => cutLine(withoutReturn(bytes).toString(), 0);
    return found.flatMap(({ line: number, start, offset }) => {
        const around = linesAround(descriptor, beginning + offset, contextLines);
        // The file was truncated since.
        if (around.line === undefined) return [];
        const line = withoutReturn(around.line);
        const before = line.toString("utf8", 0, start);
        const preview = cutLine(line.toString(), before.length);
        const match = { path: file.path, line: number, column: countPoints(before) + 1, preview };
        if (contextLines === 0) return match;
        const context = { before: around.before.map(shown), after: around.after.map(shown) };
        return { ...match, context };
    });
}

/** Cuts a long line for display, around `focus`. */
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

/** Whether the unit at `index` is a low surrogate that follows its high one. */
function isSecondHalf(text: string, index: number): boolean {
    const unit = text.charCodeAt(index);
    const before = text.charCodeAt(index - 1);
    return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
