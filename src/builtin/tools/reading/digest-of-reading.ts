import { outlineOf, type OutlineSection } from "../../../code/outline.js";
import { sectionOf, type LineSection } from "../../../code/text/line-window.js";
import { splitLines, type TextFile } from "../../../code/text/text-file.js";
import type { Digest } from "../../../plugin/index.js";
import { asJson } from "../results.js";
import { MAX_ENTRIES } from "./digest-of-list.js";
import type { ReadFileData } from "./render-reading.js";
import { sectionsOf } from "./source-parts.js";

/** Shorter files are sent whole: a second call would cost more. */
const WHOLE_LINES = 400;
const WHOLE_LENGTH = 16 * 1024;
const FIRST_LINES = 200;
export const LAST_LINES = 20;
/** Max line length: a line of a minified file may be as long as the file. */
const LINE_LENGTH = 1000;
/** Larger files take too long to parse just for names. */
const MAX_PARSED_LINES = 50_000;

/** Returns the first and last lines and how many are omitted; `undefined` for short files. */
export function digestOfReading(data: ReadFileData): Digest | undefined {
    if (data.totalLines <= WHOLE_LINES && data.content.length <= WHOLE_LENGTH) return undefined;
    const lines = splitLines(`${data.content}\n`);
    const isShort = data.totalLines <= FIRST_LINES + LAST_LINES;
    if (isShort && lines.every((line) => line.length <= LINE_LENGTH)) return undefined;
    const end = isShort ? lines.length : FIRST_LINES;
    const tail = data.tail ?? lastLines(lines, data.startLine);
    const omitted = data.totalLines - end - (tail.endLine - tail.startLine + 1);
    return {
        data: asJson({
            ...data,
            ...sectionOf(lines, { start: 1, end: Math.min(end, lines.length) }, LINE_LENGTH),
            truncated: true,
            ...(isShort ? {} : { omittedLines: omitted, tail }),
        }),
        note: isShort
            ? `Lines cut to ${LINE_LENGTH} characters.`
            : `Lines ${end + 1}-${tail.startLine - 1} of ${data.totalLines} left out; ask for a range.`,
    };
}

/** Returns names in what a digest omits, with their lines: `function run 210-240`. */
export async function namesLeftOut(
    file: TextFile,
    length: number,
    signal: AbortSignal
): Promise<readonly string[]> {
    const total = file.lines.length;
    const isWhole = total <= WHOLE_LINES && length <= WHOLE_LENGTH;
    if (isWhole || total > MAX_PARSED_LINES) return [];
    const isLeftOut = ({ type, startLine, endLine }: OutlineSection) =>
        type !== "chunk" && endLine > FIRST_LINES && startLine <= total - LAST_LINES;
    const leftOut = within(await sectionsOf(file, signal), isLeftOut);
    return flat(outlineOf(leftOut, MAX_ENTRIES).sections).map(
        ({ type, name, startLine, endLine }) => `${type} ${name} ${startLine}-${endLine}`
    );
}

function within(
    sections: readonly OutlineSection[],
    isWanted: (section: OutlineSection) => boolean
): OutlineSection[] {
    return sections
        .filter(isWanted)
        .map((section) => ({ ...section, children: within(section.children ?? [], isWanted) }));
}

function flat(sections: readonly OutlineSection[]): OutlineSection[] {
    return sections.flatMap((section) => [section, ...flat(section.children ?? [])]);
}

function lastLines(lines: readonly string[], startLine: number): LineSection {
    const start = Math.max(1, lines.length - LAST_LINES + 1);
    const section = sectionOf(lines, { start, end: lines.length }, LINE_LENGTH);
    return {
        ...section,
        startLine: section.startLine + startLine - 1,
        endLine: section.endLine + startLine - 1,
    };
}
