import type { Digest } from "../../../plugin/index.js";
import { asJson } from "../results.js";
import { sectionOf, type LineSection } from "../../../code/text/line-window.js";
import { splitLines } from "../../../code/text/text-file.js";

const FIRST_LINES = 50;
const LAST_LINES = 10;
/** Sixty lines of a minified file would be as long as the file. */
const LINE_LENGTH = 1000;

/** What a reading has to have to be shortened. */
interface Reading extends LineSection {
    readonly totalLines: number;
    /** The file's last lines, where `content` ends before them. */
    readonly tail?: LineSection;
}

/** The first lines, how many are left out, and the last ones; `undefined` for what is short. */
export function digestOfReading(data: Reading): Digest | undefined {
    const lines = splitLines(`${data.content}\n`);
    const isShort = data.totalLines <= FIRST_LINES + LAST_LINES;
    if (isShort && lines.every((line) => line.length <= LINE_LENGTH)) return undefined;
    const { start, end } = { start: 1, end: isShort ? lines.length : FIRST_LINES };
    const tail = data.tail ?? lastLines(lines, data.startLine);
    const omitted = data.totalLines - end - (tail.endLine - tail.startLine + 1);
    return {
        data: asJson({
            ...data,
            ...sectionOf(lines, { start, end: Math.min(end, lines.length) }, LINE_LENGTH),
            truncated: true,
            ...(isShort ? {} : { omittedLines: omitted, tail }),
        }),
        note: isShort
            ? `Lines cut to ${LINE_LENGTH} characters.`
            : `Lines ${end + 1}-${tail.startLine - 1} of ${data.totalLines} left out; ask for a range.`,
    };
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
